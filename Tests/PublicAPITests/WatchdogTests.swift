import CWatchdog
import Foundation
import Testing

/// The process of the tests ends itself if it hangs, so that no test needs a time limit.
@Suite struct WatchdogTests {
    @Test func theProcessHasAWatchdog() {
        #if !os(Windows)
            #expect(watchdog_runs() == 1)
        #endif
    }

    @Test func noTestHasATimeLimit() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for folder in ["Tests", "Sync/Tests", "Studio/Tests", "Examples/Tests"] {
            let files = FileManager.default.enumerator(
                at: root.appending(path: folder), includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(!text.contains("." + "timeLimit("), "\(file.path)")
            }
        }
    }

    @Test func onlyMinutesInARowWithoutWorkCount() {
        let workOfMinutes = [0.1, 5, 0, 30, 0, 0]
        var silences: [Int32] = []
        for seconds in workOfMinutes { silences.append(watchdog_silence(silences.last ?? 0, seconds)) }
        #expect(silences == [1, 2, 3, 0, 1, 2])
        #expect(watchdog_limit() > 15)
    }
}
