import HummingbirdCore

#if TLS
    import HummingbirdTLS
    import NIOSSL
#endif

/// What a hub that speaks HTTPS proves with who it is.
public struct HubCertificate: Sendable {
    /// A file that is no certificate, or no key, or that cannot be read.
    public struct Unreadable: Error, Sendable, CustomStringConvertible {
        /// The path of the file.
        public var path: String
        /// What is wrong with it.
        public var reason: String

        public var description: String { "\(path) cannot be used: \(reason)" }
    }

    #if TLS
        private let configuration: TLSConfiguration
    #endif

    /// Reads a certificate and its key.
    ///
    /// - Parameters:
    ///   - chain: The path of a file in the format PEM: the certificate, and after it those that it is signed by but for the root.
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
            // A key of another certificate is found here, and not by who connects first.
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
