/// The operations that a context is performing, which exclude others.
struct ContextActivity {
    /// Whether a save is under way whose outcome is not known yet.
    private(set) var isSaving = false
    /// Whether a save, a merge or a batch operation is under way.
    private(set) var isBusy = false
    /// The transaction whose closure is running; nil if there is none.
    var transaction: ContextTransaction?

    /// The number of contexts that are saving into this one.
    private var savingChildren = 0

    init() {}

    /// Whether no save or batch is under way, here or in a child. A save depends on the state of each context above it,
    /// which a merge would change.
    var mayMerge: Bool { !isBusy && savingChildren == 0 }

    mutating func beginSaveOfChild() { savingChildren += 1 }

    mutating func endSaveOfChild() { savingChildren -= 1 }

    mutating func begin() { isBusy = true }

    mutating func end() { isBusy = false }

    mutating func beginSave() { (isBusy, isSaving) = (true, true) }

    /// Records that a merge calls the merge policy, which must not save.
    ///
    /// - Returns: Whether a save was already under way, for ``endSettling(_:)``.
    mutating func beginSettling() -> Bool {
        defer { isSaving = true }
        return isSaving
    }

    mutating func endSettling(_ wasSaving: Bool) { isSaving = wasSaving }

    /// Records that the outcome is known. Observers of the save may then make changes and save them.
    mutating func endWriting() { isSaving = false }

    mutating func endSave() { (isBusy, isSaving) = (false, false) }
}
