import AshlarSync
import AshlarSyncTesting
import Foundation
import HubServer
import PostgresLog
import Synchronization
import Testing

/// A hub that speaks HTTPS.
extension HubTests {
    /// Makes a certificate for 127.0.0.1 with openssl, as an operator would.
    private func withCertificate<Result>(_ body: (_ chain: String, _ key: String) async throws -> Result) async throws
        -> Result
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (chain, key) = (folder.path + "/chain.pem", folder.path + "/key.pem")
        let made = try await run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", chain,
            ])
        try #require(made.status == 0)
        return try await body(chain, key)
    }

    #if TLS
        static let hasTLS = true
    #else
        static let hasTLS = false
    #endif

    @Test(
        "a hub with a certificate speaks HTTPS with whoever trusts it, and with nobody else",
        .enabled(if: HubTests.hasTLS, "The trait TLS is disabled"))
    func certificate() async throws {
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        let token = try await database.makeToken(log: name, access: "write", label: "test", days: 1)
        try await withCertificate { chain, key in
            try await withHub(database, certificate: HubCertificate(chain: chain, key: key)) { hub in
                #expect(hub.scheme == "https")
                let bearer = ["-H", "Authorization: Bearer \(token)", "\(hub)v1/logs/\(name)/head"]
                #expect(try await curl(["--cacert", chain] + bearer) == "{\"head\":0} 200")
                #expect(try await curl(bearer) == " 000")
                #expect(try await curl(["--cacert", chain, "--tls-max", "1.1"] + bearer) == " 000")
                // These clients do not trust the hub's certificate, and they do not speak HTTP to it.
                let plain = try #require(URL(string: "http://127.0.0.1:\(hub.port ?? 0)/"))
                for address in [hub, plain] {
                    do {
                        _ = try await HTTPLog(hub: address, name: name) { token }.head()
                        Issue.record("\(address) was trusted")
                    } catch let error as SyncLogError {
                        #expect(error.isTransient)
                    }
                }
            }
        }
    }

    /// A certificate that the system trusts while the tests run.
    static let trusted = ProcessInfo.processInfo.environment["ASHLAR_TRUSTED_CERTIFICATE"]

    @Test(
        "a log speaks HTTPS with a hub that it trusts",
        .enabled(if: HubTests.hasTLS && HubTests.trusted != nil, "Scripts/test makes a certificate for the trait TLS"))
    func trustedCertificate() async throws {
        let chain = try #require(Self.trusted)
        let key = URL(fileURLWithPath: chain).deletingLastPathComponent().appendingPathComponent("key.pem").path
        let database = try await TestDatabase.open()
        try await withHub(database, certificate: HubCertificate(chain: chain, key: key)) { hub in
            let tokens = Mutex<[String: String]>([:])
            let problems = try await SyncLogConformance().problems { name in
                let known = tokens.withLock { $0[name] }
                let token =
                    if let known { known } else {
                        try await database.makeToken(log: name, access: "administer", label: "test", days: 1)
                    }
                tokens.withLock { $0[name] = token }
                return HTTPLog(hub: hub, name: name) { token }
            }
            #expect(problems == [])
        }
    }

    @Test("files that are no certificate, or of another key, are refused before the hub listens") func badCertificates()
        async throws
    {
        try await withCertificate { chain, key in
            try await withCertificate { _, otherKey in
                for (chain, key) in [
                    ("/nowhere", key), (chain, "/nowhere"), (key, key), (chain, chain), (chain, otherKey),
                ] {
                    #expect(throws: HubCertificate.Unreadable.self) { try HubCertificate(chain: chain, key: key) }
                }
            }
        }
    }
}
