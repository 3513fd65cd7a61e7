/// What a context is in the midst of, so that nothing begins that must not come between.
struct ContextActivity {
    /// Whether a save is under way whose outcome is not known yet.
    private(set) var isSaving = false
    /// Whether a save, a merge or a batch operation is under way.
    private(set) var isBusy = false
    /// What the closure of a transaction writes; nil where none is under way.
    var transaction: ContextTransaction?

    /// The number of contexts that are saving into this one.
    private var savingChildren = 0

    init() {}

    /// True if no save or batch is under way, here or in a child. A save decides by the state of each context above it, which
    /// a merge would change.
    var mayMerge: Bool { !isBusy && savingChildren == 0 }

    mutating func beginSaveOfChild() { savingChildren += 1 }

    mutating func endSaveOfChild() { savingChildren -= 1 }

    mutating func begin() { isBusy = true }

    mutating func end() { isBusy = false }

    mutating func beginSave() { (isBusy, isSaving) = (true, true) }

    /// Notes that a merge asks the merge policy, which must not save.
    ///
    /// - Returns: Whether a save was under way already, for ``endSettling(_:)``.
    mutating func beginSettling() -> Bool {
        defer { isSaving = true }
        return isSaving
    }

    mutating func endSettling(_ wasSaving: Bool) { isSaving = wasSaving }

    /// Notes that the outcome is known. What is told of the save may make changes and save them.
    mutating func endWriting() { isSaving = false }

    mutating func endSave() { (isBusy, isSaving) = (false, false) }
}
