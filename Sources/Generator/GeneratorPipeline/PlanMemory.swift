import DataModel
import ModelFormat
import Synchronization

/// The results of earlier plans of a model, for a caller that plans it repeatedly while it is edited.
///
/// A result is reused if its inputs are the same, so that only the edited version and its neighbours are planned again.
package final class PlanMemory: Sendable {
    private struct Key: Hashable {
        var question: String
        var version: String
    }

    private struct Answer {
        var models: [Model]
        var context: any Hashable & Sendable
        var value: any Sendable
    }

    /// The versions as they were read.
    package let versions = KnownVersions()
    private let answers = Mutex<[Key: Answer]>([:])

    /// Makes an empty memory.
    package init() {}

    /// The answer to a question about versions, which is found out only if one of them, or the context, is new.
    func answer<Value: Sendable, Context: Hashable & Sendable>(
        _ question: StaticString, _ models: [Model], _ context: Context, finding: () -> Value
    ) -> Value {
        let key = Key(question: "\(question)", version: models.last?.name ?? "")
        if let known = answers.withLock({ $0[key] }), known.context as? Context == context, known.models == models,
            let value = known.value as? Value
        {
            return value
        }
        let value = finding()
        let answer = Answer(models: models, context: context, value: value)
        answers.withLock { $0[key] = answer }
        return value
    }
}

extension PlanMemory? {
    /// The answer to a question about versions, which is computed unless it is remembered.
    func answer<Value: Sendable>(
        _ question: StaticString, _ models: [Model], _ context: some Hashable & Sendable = 0, finding: () -> Value
    ) -> Value {
        self?.answer(question, models, context, finding: finding) ?? finding()
    }
}
