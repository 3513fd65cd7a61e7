/// An undo manager for the changes of one context.
///
/// Set it as a context's ``ModelContext/undoManager`` to make its changes undoable. Contexts without one have no cost.
///
///     context.undoManager = ModelUndoManager()
///     post.title = "Wall"
///     context.undoManager?.undo()
///
/// Changes are collected in groups. A group ends when the context processes its pending changes: at
/// ``ModelContext/processPendingChanges()``, at a save, at the end of a `perform`, and at ``undo()``. Use
/// ``beginUndoGrouping()`` and ``endUndoGrouping()`` to combine several. Undoing a saved change makes a new change,
/// which must be saved too. Changes of other contexts and of batch operations are not undone.
///
/// An object whose saved deletion is undone becomes a new row with another number. It has the values that other
/// contexts saved since. All relationships with an inverse are restored. Relationships of other objects to it without
/// an inverse, and its own relationships with the rule No Action, are not.
///
/// The counterpart is Foundation's `UndoManager`, which exists only on Apple's systems.
public final class ModelUndoManager {
    /// The largest number of groups that are kept; 0, the default, keeps all.
    ///
    ///     context.undoManager?.levelsOfUndo = 100
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// Valid until the context is released, which clears it.
    private unowned(unsafe) var context: ModelContext?
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    /// The open groups, each as the number of groups that were on the undo stack when it began.
    private var openGroups: [Int] = []
    private var disabledCount = 0
    private var pendingActionName = ""

    /// Creates an undo manager, to be set as that of one context.
    ///
    ///     context.undoManager = ModelUndoManager()
    public init() {}

    func attach(to context: ModelContext?) {
        self.context = context
        removeAllActions()
    }

    /// Detaches the undo manager from a context that is released.
    func detach(from leaving: ModelContext) {
        if context === leaving { attach(to: nil) }
    }

    // MARK: Undoing

    /// Whether there is a change to undo.
    ///
    ///     if let undoManager = context.undoManager, undoManager.canUndo { undoManager.undo() }
    public var canUndo: Bool {
        context?.endEvent()
        return !undoStack.isEmpty
    }

    /// Whether there is an undone change to redo.
    ///
    ///     if let undoManager = context.undoManager, undoManager.canRedo { undoManager.redo() }
    public var canRedo: Bool {
        context?.endEvent()
        return !redoStack.isEmpty
    }

    /// Undoes the newest group of changes.
    ///
    /// If it fails, the context's next throwing call throws the error.
    ///
    ///     context.undoManager?.undo()
    public func undo() {
        context?.endEvent()
        guard let context, let group = undoStack.popLast() else { return }
        context.apply(group, isRedo: false)
        redoStack.append(group)
    }

    /// Redoes the group that was undone last.
    ///
    /// If it fails, the context's next throwing call throws the error.
    ///
    ///     context.undoManager?.redo()
    public func redo() {
        context?.endEvent()
        guard let context, let group = redoStack.popLast() else { return }
        context.apply(group, isRedo: true)
        undoStack.append(group)
    }

    /// Removes all groups without changing any object.
    ///
    ///     context.undoManager?.removeAllActions()
    public func removeAllActions() {
        undoStack = []
        redoStack = []
        openGroups = []
        pendingActionName = ""
    }

    // MARK: Groups

    /// Begins a group that lasts until ``endUndoGrouping()``, even across saves.
    ///
    /// Groups may be nested.
    ///
    ///     context.undoManager?.beginUndoGrouping()
    ///     for post in try context.fetch(Post.all) { post.isRead = true }
    ///     context.undoManager?.endUndoGrouping()
    public func beginUndoGrouping() {
        context?.endEvent()
        openGroups.append(undoStack.count)
    }

    /// Ends the group that was begun last, so that one ``undo()`` undoes all of it.
    ///
    /// See ``beginUndoGrouping()``.
    public func endUndoGrouping() {
        context?.endEvent()
        guard let start = openGroups.popLast(), undoStack.count > start + 1 else { return }
        let group = UndoGroup(joining: undoStack[start...])
        undoStack.removeSubrange(start...)
        undoStack.append(group)
    }

    /// Stops recording changes until ``enableUndoRegistration()`` is called as often as this method.
    ///
    ///     context.undoManager?.disableUndoRegistration()
    ///     post.isRead = true
    ///     context.undoManager?.enableUndoRegistration()
    public func disableUndoRegistration() {
        context?.endEvent()
        disabledCount += 1
    }

    /// Resumes recording changes after ``disableUndoRegistration()``.
    public func enableUndoRegistration() {
        context?.endEvent()
        disabledCount = max(0, disabledCount - 1)
    }

    /// Whether changes are recorded at present.
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Names the current group, for the title of a menu item.
    ///
    ///     context.undoManager?.setActionName("Rename Post")
    ///
    /// - Parameter name: The name of the action.
    public func setActionName(_ name: String) { pendingActionName = name }

    /// The name of the group that ``undo()`` would undo; empty if there is none or it has no name.
    public var undoActionName: String { undoStack.last?.name ?? "" }

    /// The name of the group that ``redo()`` would redo; empty if there is none or it has no name.
    public var redoActionName: String { redoStack.last?.name ?? "" }

    func register(_ event: ContextEvent, _ context: ModelContext) {
        guard isUndoRegistrationEnabled, !context.isUndoing else { return }
        let group = UndoGroup(event, context, name: pendingActionName)
        pendingActionName = ""
        if group.isEmpty { return }
        undoStack.append(group)
        redoStack = []
        trim()
    }

    /// Adds objects that a save deleted to the group that deleted their owners.
    func join(_ group: UndoGroup, deletedWith owners: [ManagedObject]) {
        guard isUndoRegistrationEnabled, !group.isEmpty else { return }
        let owners = Set(owners)
        let known = undoStack.lastIndex { known in known.deleted.contains { owners.contains($0) } }
        if let known {
            undoStack[known] = UndoGroup(joining: [undoStack[known], group])
        } else {
            undoStack.append(group)
            trim()
        }
    }

    private func trim() {
        guard levelsOfUndo > 0, openGroups.isEmpty, undoStack.count > levelsOfUndo else { return }
        undoStack.removeFirst(undoStack.count - levelsOfUndo)
    }
}
