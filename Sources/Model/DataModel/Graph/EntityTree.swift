/// The inheritance of a model's entities by their positions, which answers in constant time where ``ModelGraph`` walks.
///
/// If two entities have the same name, it means the first. Cycles of parents are cut and recorded.
struct EntityTree {
    /// A step of the walk through the tree.
    enum Step {
        case enter(Int)
        case leave(Int)
    }

    let indexes: [String: Int]
    private(set) var parents: [Int?]
    /// The positions of the entities of every cycle, each followed by its parent.
    private(set) var cycles: [[Int]] = []
    /// Every entity is entered after its parent, and left after its children.
    private(set) var steps: [Step] = []
    private var entered: [Int]
    private var left: [Int]

    init(_ entities: [Entity]) {
        var indexes: [String: Int] = [:]
        for (index, entity) in entities.enumerated() where indexes[entity.name] == nil {
            indexes[entity.name] = index
        }
        self.indexes = indexes
        parents = entities.map { $0.parentName.flatMap { indexes[$0] } }
        entered = [Int](repeating: 0, count: entities.count)
        left = entered
        cutCycles()
        walk()
    }

    /// Returns whether an entity is another or one below it.
    func isEntity(_ index: Int, kindOf ancestor: Int) -> Bool {
        entered[ancestor] <= entered[index] && left[index] <= left[ancestor]
    }

    private mutating func cutCycles() {
        var isSettled = [Bool](repeating: false, count: parents.count)
        for start in parents.indices {
            var path: [Int] = []
            var positions: [Int: Int] = [:]
            var current: Int? = start
            while let index = current, !isSettled[index] {
                positions[index] = path.count
                path.append(index)
                if let parent = parents[index], let position = positions[parent] {
                    cycles.append(Array(path[position...]))
                    parents[index] = nil
                }
                current = parents[index]
            }
            for index in path { isSettled[index] = true }
        }
    }

    private mutating func walk() {
        var children = [[Int]](repeating: [], count: parents.count)
        var pending: [Step] = []
        for (index, parent) in parents.enumerated() {
            if let parent { children[parent].append(index) } else { pending.append(.enter(index)) }
        }
        while let step = pending.popLast() {
            switch step {
            case .enter(let index):
                entered[index] = steps.count
                pending.append(.leave(index))
                for child in children[index] { pending.append(.enter(child)) }
            case .leave(let index): left[index] = steps.count
            }
            steps.append(step)
        }
    }
}
