/// Undoes and redoes the changes of one context.
///
///     context.undoManager = ModelUndoManager()
///     post.title = "Wall"
///     context.undoManager?.undo()
///
/// Changes are gathered into groups. One group ends, and the next begins, whenever the context processes its pending
/// changes: at ``ModelContext/processPendingChanges()``, at a save, at the end of a `perform`, and at ``undo()`` itself;
/// ``beginUndoGrouping()`` and ``endUndoGrouping()`` keep several together. A saved change can be undone too: that makes
/// a new change to be saved. A context without an undo manager pays nothing. What other contexts and batch operations
/// change is not undone, and an object that comes back has what they saved of it since.
///
/// An object whose deletion was saved comes back as a new one: its row has another number. All relationships with an inverse are
/// as before. Others that led to it, and those to it whose rule is No Action, are not.
///
/// Foundation's `UndoManager` for a context, which Foundation has on Apple's systems only.
public final class ModelUndoManager {
    /// The most groups that are kept; 0 keeps all.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// Until the context goes, which says so.
    private unowned(unsafe) var context: ModelContext?
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    /// The groups that were begun and not ended, with the number of groups on the stack then.
    private var openGroups: [Int] = []
    private var disabledCount = 0
    private var pendingActionName = ""

    /// Makes an undo manager, to be given to one context.
    public init() {}

    func attach(to context: ModelContext?) {
        self.context = context
        removeAllActions()
    }

    /// A context goes.
    func detach(from leaving: ModelContext) {
        if context === leaving { attach(to: nil) }
    }

    // MARK: Undoing

    /// Whether there is a change to undo.
    public var canUndo: Bool {
        context?.endEvent()
        return !undoStack.isEmpty
    }

    /// Whether there is an undone change to do again.
    public var canRedo: Bool {
        context?.endEvent()
        return !redoStack.isEmpty
    }

    /// Undoes the newest group. The context's next throwing call throws what went wrong.
    public func undo() {
        context?.endEvent()
        guard let context, let group = undoStack.popLast() else { return }
        context.apply(group, isRedo: false)
        redoStack.append(group)
    }

    /// Does the newest undone group again.
    public func redo() {
        context?.endEvent()
        guard let context, let group = redoStack.popLast() else { return }
        context.apply(group, isRedo: true)
        undoStack.append(group)
    }

    /// Forgets all groups; the changes stay.
    public func removeAllActions() {
        undoStack = []
        redoStack = []
        openGroups = []
        pendingActionName = ""
    }

    // MARK: Groups

    /// Begins a group that lasts until ``endUndoGrouping()``, through saves too. Groups may be nested.
    public func beginUndoGrouping() {
        context?.endEvent()
        openGroups.append(undoStack.count)
    }

    /// Ends the group that was begun last, so that one ``undo()`` undoes all of it.
    public func endUndoGrouping() {
        context?.endEvent()
        guard let start = openGroups.popLast(), undoStack.count > start + 1 else { return }
        let group = UndoGroup(joining: undoStack[start...])
        undoStack.removeSubrange(start...)
        undoStack.append(group)
    }

    /// Has changes from now on not be undone, until ``enableUndoRegistration()`` is called as often.
    public func disableUndoRegistration() {
        context?.endEvent()
        disabledCount += 1
    }

    /// Has changes be undone again.
    public func enableUndoRegistration() {
        context?.endEvent()
        disabledCount = max(0, disabledCount - 1)
    }

    /// Whether changes are gathered now.
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Names the present group, for a menu.
    public func setActionName(_ name: String) { pendingActionName = name }

    /// The name of the group that ``undo()`` would undo; empty when it has none.
    public var undoActionName: String { undoStack.last?.name ?? "" }

    /// The name of the group that ``redo()`` would do again; empty when it has none.
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

    private func trim() {
        guard levelsOfUndo > 0, openGroups.isEmpty, undoStack.count > levelsOfUndo else { return }
        undoStack.removeFirst(undoStack.count - levelsOfUndo)
    }
}
