import Testing

@testable import AshlarSync

@Suite struct SignalTests {
    @Test("what was set before anybody waits wakes the next one, once") func kept() async {
        let signal = Signal()
        signal.set()
        signal.set()
        await signal.wait()
        let task = Task { await signal.wait() }
        await Task.yield()
        signal.set()
        await task.value
    }

    @Test("one that is cancelled takes nothing from the next") func cancellation() async {
        let signal = Signal()
        for _ in 0..<100 {
            let first = Task { await signal.wait() }
            first.cancel()
            await first.value
            signal.set()
            // Waits forever if the signal was lost.
            await signal.wait()
        }
    }
}
