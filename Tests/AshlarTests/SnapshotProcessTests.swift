import Foundation
import RandomNumbers
import RandomSeeds
import Synchronization
import Testing
import ThreadTraits

@testable import Ashlar

#if os(Linux) || os(macOS)
    /// A process that is killed while it writes and reads pinned states.
    @Suite(.ownThreads) struct SnapshotProcessTests {
        let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private final class ReadCount: Sendable {
            let value = Atomic(0)
        }

        /// Writes without end, records the finished saves, and kills the process after its readers have read that
        /// often.
        static func writeUntilKilled(_ folder: URL, reads: Int) async throws {
            let container = try ModelContainer(for: StudioModel.self, at: folder.appendingPathComponent("a.store"))
            let savedFile = folder.appendingPathComponent("saved")
            try Data().write(to: savedFile)
            let readCount = ReadCount()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let saved = try FileHandle(forWritingTo: savedFile)
                    let window = try MovingWindow(ModelContext(container))
                    while true { try saved.write(contentsOf: Data("\(try window.move())\n".utf8)) }
                }
                for _ in 0..<8 {
                    group.addTask {
                        let context = ModelContext(container)
                        while true {
                            try context.setQueryGeneration(from: .current)
                            let (number, violation) = try MovingWindow.read(context)
                            // The process then ends without the signal, which fails the test.
                            if violation != nil { return }
                            try context.refreshAllObjects()
                            let again = try MovingWindow.read(context)
                            if again.number != number || again.violation != nil { return }
                            if readCount.value.add(1, ordering: .relaxed).newValue >= reads { raise(SIGKILL) }
                        }
                    }
                }
                _ = try await group.next()
                exit(EXIT_FAILURE)
            }
        }

        @Test("row 134: no save is lost, and no state torn, however often the process is killed", arguments: seeds(1))
        func killedAgainAndAgain(_ seed: Seed) async throws {
            var generator = SeededGenerator(seed: seed)
            // The number that is read if the process was killed before the store had any rows.
            var before = -1
            for round in 1...5 {
                let (url, reads) = (folder.url, generator.number(1..<200))
                await #expect(processExitsWith: .signal(SIGKILL), "in round \(round)") {
                    [url = url as URL, reads = reads as Int] in
                    try await SnapshotProcessTests.writeUntilKilled(url, reads: reads)
                }
                let told = try String(contentsOf: folder.file("saved"), encoding: .utf8)
                let last = told.split(separator: "\n").last.flatMap { Int($0) } ?? 0
                let container = try ModelContainer(for: StudioModel.self, at: folder.file("a.store"))
                let (number, violation) = try MovingWindow.read(ModelContext(container))
                #expect(violation == nil && number >= before, "in round \(round)")
                before = number
                // The last save may not have been recorded.
                #expect(told.isEmpty || number == last || number == last + 1, "in round \(round)")
                try container.expectSound("in round \(round)")
            }
        }
    }
#endif
