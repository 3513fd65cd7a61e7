import CWatchdog
import Testing

/// The process of the tests ends itself if it hangs, so that no test needs a time limit.
@Suite struct WatchdogTests {
    @Test func theProcessHasAWatchdog() {
        #if !os(Windows)
            #expect(watchdog_runs() == 1)
        #endif
    }

    @Test func onlyMinutesInARowWithoutWorkCount() {
        let workOfMinutes = [0.1, 5, 0, 30, 0, 0]
        var silences: [Int32] = []
        for seconds in workOfMinutes { silences.append(watchdog_silence(silences.last ?? 0, seconds)) }
        #expect(silences == [1, 2, 3, 0, 1, 2])
        #expect(watchdog_limit() > 15)
    }
}
