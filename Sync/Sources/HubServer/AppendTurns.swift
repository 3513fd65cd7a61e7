import AshlarSync
import Foundation
import Synchronization

/// Makes appends to a log take turns. Without turns, only one of many appends after the same head succeeds.
///
/// If a site's append fails because it lacks entries, the site has the next turn, for as long as it takes to reapply
/// its changes. So every site is served after at most as many turns as there are other sites. This is not guaranteed:
/// each hub has its own turns, and the log decides which appends succeed.
final class AppendTurns: Sendable {
    private struct Waiting {
        var id: UUID
        var site: UUID
        /// Resumed with whether the site has the turn.
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct Line {
        var isTaken = false
        /// The number of times that the turn was kept since another site had it.
        var keptCount = 0
        /// The site of the next turn.
        var reserved: (site: UUID, id: UUID)?
        var waiting: [Waiting] = []
    }

    /// The maximum number of times that a turn is kept for one site before others have theirs.
    private static let longestKept = 8

    /// The time for which a turn is kept for a site that lacked entries.
    private let reservation: Duration
    /// The time that a site waits for its turn before it continues without one.
    private let patience: Duration
    private let lines = Mutex<[String: Line]>([:])

    init(reservation: Duration = .milliseconds(100), patience: Duration = .seconds(2)) {
        self.reservation = reservation
        self.patience = patience
    }

    /// Appends when it is the site's turn.
    func append(
        of site: UUID, to log: String, _ body: () async throws -> SyncAppendResult
    ) async throws -> SyncAppendResult {
        let isInTurn = await enter(log, site)
        do {
            let result = try await body()
            let isMoved = if case .moved = result { true } else { false }
            if isInTurn { leave(log, keepingFor: isMoved ? site : nil) }
            return result
        } catch {
            if isInTurn { leave(log, keepingFor: nil) }
            throw error
        }
    }

    /// - Returns: False if the wait timed out.
    private func enter(_ log: String, _ site: UUID) async -> Bool {
        let id = UUID()
        let timer = Mutex<Task<Void, Never>?>(nil)
        let isInTurn = await withCheckedContinuation { continuation in
            let isFree = lines.withLock { lines in
                var line = lines[log] ?? Line()
                defer { lines[log] = line }
                if !line.isTaken, line.reserved.map({ $0.site == site }) ?? true {
                    line.isTaken = true
                    line.reserved = nil
                    return true
                }
                line.waiting.append(Waiting(id: id, site: site, continuation: continuation))
                return false
            }
            if isFree { return continuation.resume(returning: true) }
            timer.withLock {
                $0 = Task { [patience] in
                    try? await Task.sleep(for: patience)
                    self.giveUp(log, id)
                }
            }
        }
        timer.withLock { $0 }?.cancel()
        return isInTurn
    }

    /// Lets a site continue without a turn.
    private func giveUp(_ log: String, _ id: UUID) {
        lines.withLock { lines -> CheckedContinuation<Bool, Never>? in
            guard let index = lines[log]?.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return lines[log]?.waiting.remove(at: index).continuation
        }?.resume(returning: false)
    }

    private func leave(_ log: String, keepingFor site: UUID?) {
        let id = UUID()
        let (next, isKept) = lines.withLock { lines -> (CheckedContinuation<Bool, Never>?, Bool) in
            guard var line = lines[log] else { return (nil, false) }
            line.isTaken = false
            // A turn is kept only while others wait, and not without limit.
            if let site, !line.waiting.isEmpty, line.keptCount < Self.longestKept {
                line.keptCount += 1
                line.reserved = (site, id)
                lines[log] = line
                return (nil, true)
            }
            return (Self.takeNext(&lines, log, &line), false)
        }
        next?.resume(returning: true)
        if !isKept { return }
        Task { [reservation] in
            try? await Task.sleep(for: reservation)
            endReservation(log, id)
        }
    }

    /// Lets all waiting sites continue without turns if the reserved site did not come: it may be slow, or wait for a
    /// connection itself.
    private func endReservation(_ log: String, _ id: UUID) {
        let waiting = lines.withLock { lines -> [Waiting] in
            guard let line = lines[log], line.reserved?.id == id else { return [] }
            lines[log] = nil
            return line.waiting
        }
        for waiting in waiting { waiting.continuation.resume(returning: false) }
    }

    /// Gives the turn to the next waiting site, and returns its continuation.
    private static func takeNext(
        _ lines: inout [String: Line], _ log: String, _ line: inout Line
    ) -> CheckedContinuation<Bool, Never>? {
        if line.waiting.isEmpty {
            lines[log] = nil
            return nil
        }
        line.isTaken = true
        line.keptCount = 0
        let next = line.waiting.removeFirst()
        lines[log] = line
        return next.continuation
    }
}
