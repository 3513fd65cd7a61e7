import AshlarSync
import Foundation
import Synchronization

/// Has those who append to one log do so one after another, so that of many who append after one head not all but one do so in vain.
///
/// Who was told what he lacks has the next turn, for as long as it takes to put his own changes on again: so everybody who asks is
/// served within so many turns as there are others. That is a favour and no promise: each hub has turns of its own, and the log
/// decides what succeeds.
final class AppendTurns: Sendable {
    private struct Waiting {
        var id: UUID
        var site: UUID
        /// Is told whether it has the turn.
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct Line {
        var isTaken = false
        /// How often the turn was kept since somebody else had it.
        var keptCount = 0
        /// Whose the next turn is.
        var reserved: (site: UUID, id: UUID)?
        var waiting: [Waiting] = []
    }

    /// How often a turn is kept for one site before others have theirs.
    private static let longestKept = 8

    /// How long a turn is kept for somebody who was told what he lacks.
    private let reservation: Duration
    /// How long somebody waits for his turn before he goes on without one.
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

    /// - Returns: False for somebody whose patience is at its end.
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

    /// Somebody goes on without a turn.
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
            // Nothing is kept for anybody whom nobody is in the way of, nor for ever.
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

    /// Has all go on without turns whom somebody kept waiting who did not come: he may be slow, or wait for a connection himself.
    private func endReservation(_ log: String, _ id: UUID) {
        let waiting = lines.withLock { lines -> [Waiting] in
            guard let line = lines[log], line.reserved?.id == id else { return [] }
            lines[log] = nil
            return line.waiting
        }
        for waiting in waiting { waiting.continuation.resume(returning: false) }
    }

    /// The one whose turn it is, who has it from here on.
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
