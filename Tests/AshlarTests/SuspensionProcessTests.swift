import AshlarSQLite
import Dispatch
import Foundation
import RandomNumbers
import RandomSeeds
import Synchronization
import Testing
import ThreadTraits

@testable import Ashlar

#if os(Linux) || os(macOS)
    /// A process that suspends its container whenever a signal announces that it will be stopped, and another that
    /// examines the locks of the stopped one.
    @Suite(.serialized, .ownThreads) struct SuspensionProcessTests {
        let folder: TemporaryFolder
        private let url: URL

        init() throws {
            folder = try TemporaryFolder()
            url = folder.file("a.store")
        }

        // MARK: The process that is stopped

        /// Reads and writes on many tasks without end, and stops itself each time that it gets SIGUSR1.
        static func workUntilKilled(_ folder: URL) async throws {
            let options = StoreOptions(busyTimeout: .seconds(60), walAutocheckpoint: 40, historyTracking: true)
            let container = try ModelContainer(
                for: StudioModel.self,
                configurations: ModelConfiguration(url: folder.appendingPathComponent("a.store"), options: options))
            let failures = folder.appendingPathComponent("failures").path
            @Sendable func fail(_ text: String) -> Never {
                _ = FileManager.default.createFile(atPath: failures, contents: Data(text.utf8))
                exit(EXIT_FAILURE)
            }
            signal(SIGUSR1, SIG_IGN)
            let stops = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: DispatchQueue(label: "stops"))
            stops.setEventHandler {
                do {
                    try container.suspend()
                    raise(SIGSTOP)
                    try container.resume()
                } catch {
                    fail("\(error)")
                }
            }
            stops.resume()
            // The rows are made before any task reads them.
            _ = try MovingWindow(ModelContext(container)).move()
            let work: [@Sendable (Int) throws -> String?] = [
                { _ in
                    let window = try MovingWindow(ModelContext(container))
                    while true { _ = try window.move() }
                },
                { _ in
                    let context = ModelContext(container)
                    try context.setQueryGeneration(from: .current)
                    let before = try MovingWindow.read(context)
                    try context.refreshAllObjects()
                    let after = try MovingWindow.read(context)
                    return before.number == after.number ? after.violation ?? before.violation : "a state that moves"
                },
                { number in
                    let context = ModelContext(container)
                    try context.batchInsert(contentsOf: (0..<200).map { Topic.Values(name: "\(number) \($0)") })
                    return try context.batchDelete(Topic.all) % 200 == 0 ? nil : "a part of a batch"
                },
                { number in
                    let context = ModelContext(container)
                    try context.transaction {
                        for index in 0..<20 { context.insert(Writer(name: "\(number) \(index)")) }
                        try context.save()
                        try context.batchDelete(Writer.all)
                    }
                    return try ModelContext(container).fetchCount(Writer.all) == 0 ? nil : "a part of a transaction"
                },
                { _ in
                    try container.checkpoint()
                    return nil
                },
                { number in
                    let copy = folder.appendingPathComponent("copy \(number).store")
                    try container.backUp(to: copy)
                    try ModelContainer.destroyStore(at: copy)
                    return nil
                },
            ]
            for (number, body) in work.enumerated() {
                Thread.detachNewThread {
                    while true {
                        do {
                            if let violation = try body(number) { fail(violation) }
                        } catch StoreError.suspended, StoreError.queryGenerationExpired {
                            // Waits until the store can be read again.
                            while container.isSuspended { usleep(200) }
                        } catch {
                            fail("in \(number): \(error)")
                        }
                    }
                }
            }
            Thread.detachNewThread {
                _ = FileManager.default.createFile(
                    atPath: folder.appendingPathComponent("pid").path, contents: Data("\(getpid())".utf8))
            }
            for await _ in container.remoteChanges where FileManager.default.fileExists(atPath: failures) { return }
        }

        // MARK: The process that examines the other

        /// Whether another process holds any lock on a file, according to the system; false if there is no file.
        private static func isLocked(_ path: String) -> Bool {
            let descriptor = open(path, O_RDWR)
            guard descriptor >= 0 else { return false }
            // Closing it releases the locks of this process, which has none.
            defer { close(descriptor) }
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            return fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
        }

        /// Writes the stopped process's store alone, without waiting for anything.
        private func write(_ generator: inout SeededGenerator) throws {
            let connection = try Connection(path: url.path, flags: SQLITE_OPEN_READWRITE, busyTimeout: 0)
            try connection.execute("BEGIN EXCLUSIVE")
            try connection.execute("UPDATE Part SET name = name")
            try connection.execute("COMMIT")
            // Closing the connection checkpoints and deletes the log; otherwise it stays.
            if Bool.random(using: &generator) { connection.close() }
        }

        /// Waits for a file of the other process.
        private func wait(for name: String, _ child: ChildProcess) async throws -> String {
            while true {
                // A process that has ended writes nothing more, so that its files are read after this.
                let hasEnded = child.hasEnded.load(ordering: .acquiring)
                for file in ["failures", name] {
                    guard let text = try? String(contentsOf: folder.file(file), encoding: .utf8), !text.isEmpty else {
                        continue
                    }
                    if file == name { return text }
                    throw Failure(text: text)
                }
                if hasEnded { throw Failure(text: "The process ended before it wrote '\(name)'.") }
                try await Task.sleep(for: .milliseconds(2))
            }
        }

        private struct Failure: Error { var text: String }

        private final class ChildProcess: Sendable {
            let hasEnded = Atomic(false)
        }

        /// Waits until a child has stopped, and throws if it ended.
        private func waitForStop(of pid: pid_t, _ child: ChildProcess) async throws {
            while true {
                var info = siginfo_t()
                // Only stops are consumed: the library that waits for the end of the process needs that event.
                let result = waitid(P_PID, id_t(pid), &info, WSTOPPED | WEXITED | WNOWAIT | WNOHANG)
                if result == 0, info.si_code == CLD_STOPPED {
                    _ = waitid(P_PID, id_t(pid), &info, WSTOPPED)
                    return
                }
                guard result == 0, info.si_code == 0 else {
                    throw Failure(text: try await wait(for: "failures", child))
                }
                try await Task.sleep(for: .microseconds(200))
            }
        }

        private func stopAgainAndAgain(
            _ count: Int, _ child: ChildProcess, _ generator: inout SeededGenerator
        ) async throws {
            let pid = try #require(pid_t(try await wait(for: "pid", child)))
            defer { kill(pid, SIGKILL) }
            for round in 0..<count {
                try await Task.sleep(for: .microseconds(generator.number(0..<20_000)))
                guard kill(pid, SIGUSR1) == 0 else { throw Failure(text: try await wait(for: "failures", child)) }
                try await waitForStop(of: pid, child)
                let locked = ["", "-wal", "-shm"].filter { Self.isLocked(url.path + $0) }
                #expect(locked.isEmpty, "a lock on \(locked) in round \(round)")
                if generator.number(0..<4) == 0 { try write(&generator) }
                try #require(kill(pid, SIGCONT) == 0)
            }
        }

        private static func expectKill(of process: ChildProcess, _ url: URL) async {
            defer { process.hasEnded.store(true, ordering: .releasing) }
            await #expect(processExitsWith: .signal(SIGKILL)) { [url = url as URL] in
                try await SuspensionProcessTests.workUntilKilled(url)
            }
        }

        @Test("no stop finds a lock, and no save is torn", arguments: seeds(1))
        func stoppedAgainAndAgain(_ seed: Seed) async throws {
            let process = ChildProcess()
            async let child: Void = Self.expectKill(of: process, folder.url)
            var generator = SeededGenerator(seed: seed)
            do {
                try await stopAgainAndAgain(50, process, &generator)
            } catch {
                Issue.record(error)
            }
            await child
            let container = try ModelContainer(for: StudioModel.self, at: url)
            #expect(try MovingWindow.read(ModelContext(container)).violation == nil)
            try container.expectSound()
        }
    }
#endif
