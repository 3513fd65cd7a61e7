import PhotoLoad
import Testing

@Suite struct LoadTests {
    /// The measurement of the README in a few rounds: over sockets, with a store in a file.
    @Test func eightClientsAtOnce() async throws {
        try await Client.with(.ahc()) { client in
            let port = try #require(client.client.port)
            let report = try await LoadTest(url: "http://localhost:\(port)", rounds: 60).run()
            #expect(report.problems.isEmpty, "\(report.text)")
            #expect(report.requests >= 8 * 10 * 6)
        }
    }
}
