/// The hash function SHA-256 of FIPS 180-4.
///
/// It is written out here because the build tool links nothing but the system's libxml2, SQLite and Foundation, and
/// Foundation has no hash function on all platforms. Users' packages build the tool without optimisation, so the
/// rounds keep to local variables and pointers, which cost little even then.
package struct SHA256: Sendable {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var pending: [UInt8] = []
    private var byteCount: UInt64 = 0

    /// Makes a hash of nothing yet.
    package init() {}

    /// The hash of some bytes, as 64 hexadecimal digits.
    package static func hexadecimal(of bytes: some Sequence<UInt8>) -> String {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finalizeHexadecimal()
    }

    /// The hash of all added bytes, as 64 hexadecimal digits.
    package consuming func finalizeHexadecimal() -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in finalize() {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        let before = pending.count
        pending.append(contentsOf: bytes)
        byteCount &+= UInt64(pending.count - before)
        processBlocks()
    }

    /// The 32 bytes of the hash of all added bytes.
    package consuming func finalize() -> [UInt8] {
        let bitCount = byteCount &* 8
        pending.append(0x80)
        while pending.count % 64 != 56 { pending.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            pending.append(UInt8(truncatingIfNeeded: bitCount >> shift))
        }
        processBlocks()
        var result: [UInt8] = []
        for word in state {
            for shift in stride(from: 24, through: 0, by: -8) {
                result.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return result
    }

    private mutating func processBlocks() {
        let end = pending.count & ~63
        if end == 0 { return }
        pending.withUnsafeBufferPointer { bytes in
            state.withUnsafeMutableBufferPointer { state in
                Self.constants.withUnsafeBufferPointer { constants in
                    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
                        guard let bytes = bytes.baseAddress, let state = state.baseAddress,
                            let constants = constants.baseAddress, let schedule = schedule.baseAddress
                        else { return }
                        var offset = 0
                        while offset < end {
                            Self.process(bytes + offset, state, constants, schedule)
                            offset += 64
                        }
                    }
                }
            }
        }
        pending.removeFirst(end)
    }

    private static func process(
        _ block: UnsafePointer<UInt8>, _ state: UnsafeMutablePointer<UInt32>, _ constants: UnsafePointer<UInt32>,
        _ schedule: UnsafeMutablePointer<UInt32>
    ) {
        var index = 0
        while index < 16 {
            let byte = block + 4 &* index
            schedule[index] =
                UInt32(byte[0]) &<< 24 | UInt32(byte[1]) &<< 16 | UInt32(byte[2]) &<< 8 | UInt32(byte[3])
            index &+= 1
        }
        while index < 64 {
            let before15 = schedule[index &- 15]
            let before2 = schedule[index &- 2]
            let small0 =
                (before15 &>> 7 | before15 &<< 25) ^ (before15 &>> 18 | before15 &<< 14) ^ before15 &>> 3
            let small1 = (before2 &>> 17 | before2 &<< 15) ^ (before2 &>> 19 | before2 &<< 13) ^ before2 &>> 10
            schedule[index] = schedule[index &- 16] &+ small0 &+ schedule[index &- 7] &+ small1
            index &+= 1
        }
        var a = state[0]
        var b = state[1]
        var c = state[2]
        var d = state[3]
        var e = state[4]
        var f = state[5]
        var g = state[6]
        var h = state[7]
        index = 0
        while index < 64 {
            let large1 = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ large1 &+ choice &+ constants[index] &+ schedule[index]
            let large0 = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            h = g
            g = f
            f = e
            e = d &+ first
            d = c
            c = b
            b = a
            a = first &+ large0 &+ majority
            index &+= 1
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
