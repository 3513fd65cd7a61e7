import HummingbirdCore

#if TLS
    import HummingbirdTLS
    import NIOSSL
#endif

/// The certificate and key of a hub that serves HTTPS.
public struct HubCertificate: Sendable {
    /// The error for a file that is not a certificate or key, or cannot be read.
    public struct Unreadable: Error, Sendable, CustomStringConvertible {
        /// The path of the file.
        public var path: String
        /// The reason for which it cannot be used.
        public var reason: String

        public var description: String { "\(path) cannot be used: \(reason)" }
    }

    #if TLS
        private let configuration: TLSConfiguration
    #endif

    /// Reads a certificate and its key.
    ///
    /// - Parameters:
    ///   - chain: The path of a file in the format PEM: the certificate, followed by those of its issuers except for
    ///     the root.
    ///   - key: The path of the key's file, in PEM.
    /// - Throws: ``Unreadable``.
    public init(chain: String, key: String) throws {
        #if TLS
            let certificates = try Self.reading(chain) { try NIOSSLCertificate.fromPEMFile(chain) }
            guard !certificates.isEmpty else { throw Unreadable(path: chain, reason: "there is no certificate in it") }
            let privateKey = try Self.reading(key) { try NIOSSLPrivateKey(file: key, format: .pem) }
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(privateKey))
            configuration.minimumTLSVersion = .tlsv12
            // Detects a key of another certificate here, not at the first connection.
            _ = try Self.reading(key) { try NIOSSLContext(configuration: configuration) }
            self.configuration = configuration
        #else
            throw Unreadable(
                path: chain, reason: "this hub was built without the trait TLS. Build it with '--traits TLS'")
        #endif
    }

    /// A server that encrypts the channels of another.
    func encrypting(_ server: HTTPServerBuilder) throws -> HTTPServerBuilder {
        #if TLS
            return try .tls(server, tlsConfiguration: configuration)
        #else
            return server
        #endif
    }

    #if TLS
        private static func reading<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
            do {
                return try body()
            } catch {
                throw Unreadable(path: path, reason: "\(error)")
            }
        }
    #endif
}
