/// A random secret of this run of the program, which identifies requests of its own pages.
public struct AccessToken: Sendable {
    /// The secret as 64 hexadecimal digits.
    public let text: String

    /// Creates a secret with the system's random generator, which is suitable for secrets.
    public init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// Returns whether a text is the secret, in constant time for texts of the same length.
    func matches(_ other: String) -> Bool {
        let (own, others) = (Array(text.utf8), Array(other.utf8))
        guard own.count == others.count else { return false }
        var difference: UInt8 = 0
        for index in own.indices { difference |= own[index] ^ others[index] }
        return difference == 0
    }
}
