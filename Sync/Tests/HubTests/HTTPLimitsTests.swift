import AshlarSync
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

/// A server that is hostile, or not a hub. A log must not send it the token, and must bound memory, disk space and
/// time.
@Suite struct HTTPLimitsTests {
    private func router(
        _ answer: @escaping @Sendable (Request) async throws -> Response
    ) -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.get("**") { request, _ in try await answer(request) }
        return router
    }

    /// A body of pieces, without an end.
    private static func endless(_ piece: Data, pausing pause: Duration = .zero) -> ResponseBody {
        ResponseBody { writer in
            while true {
                try await writer.write(ByteBuffer(bytes: piece))
                try await Task.sleep(for: pause)
            }
        }
    }

    private func expectError(_ log: HTTPLog, isTransient: Bool = true, _ body: (HTTPLog) async throws -> Void) async {
        do {
            try await body(log)
            Issue.record("the answer was taken")
        } catch let error as SyncLogError {
            #expect(error.isTransient == isTransient, "\(error)")
        } catch { Issue.record(error) }
    }

    @Test func aRedirectDoesNotReceiveTheToken() async throws {
        let requests = Mutex(0)
        let thief = router { _ in
            requests.withLock { $0 += 1 }
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "{\"head\":7}")))
        }
        try await withApplication(router: thief) { address in
            let redirecting = router { _ in Response(status: .found, headers: [.location: "\(address)steal"]) }
            try await withApplication(router: redirecting) { hub in
                await expectError(HTTPLog(hub: hub, name: "log") { "secret" }) { _ = try await $0.head() }
            }
        }
        #expect(requests.withLock { $0 } == 0)
    }

    @Test func anAnswerWithoutEndIsNotReadToItsEnd() async throws {
        let endless = router { _ in Response(status: .ok, body: Self.endless(Data(count: 65_536))) }
        try await withApplication(router: endless) { hub in
            let log = HTTPLog(hub: hub, name: "log", limit: 1 << 20) { "token" }
            await expectError(log) { _ = try await $0.snapshots() }
        }
    }

    @Test func aSnapshotOfMoreBytesThanItsDescriptionIsNotKept() async throws {
        let endless = router { _ in Response(status: .ok, body: Self.endless(Data(count: 65_536))) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        try await withApplication(router: endless) { hub in
            let snapshot = SyncSnapshot(id: UUID(), position: 1, modelHash: "h", hash: "h", byteCount: 10)
            await expectError(HTTPLog(hub: hub, name: "log") { "token" }) { try await $0.read(snapshot, to: file) }
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func aCompressedAnswerCountsDecompressed() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await run("bash", ["-c", "head -c 50000000 /dev/zero | gzip -c >\"$1\"", "bash", file.path])
        let compressed = try Data(contentsOf: file)
        #expect((1..<1_000_000).contains(compressed.count))
        let bomb = router { _ in
            Response(
                status: .ok, headers: [.contentEncoding: "gzip"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: compressed)))
        }
        try await withApplication(router: bomb) { hub in
            let log = HTTPLog(hub: hub, name: "log", limit: 1 << 20) { "token" }
            await expectError(log) { _ = try await $0.snapshots() }
        }
    }

    @Test func anAnswerOfAFewBytesNowAndThenIsGivenUp() async throws {
        let slow = router { _ in
            Response(status: .ok, body: Self.endless(Data(" ".utf8), pausing: .milliseconds(20)))
        }
        try await withApplication(router: slow) { hub in
            let log = HTTPLog(hub: hub, name: "log", timeout: 1) { "token" }
            await expectError(log) { _ = try await $0.head() }
        }
    }
}
