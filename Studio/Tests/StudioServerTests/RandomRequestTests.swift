import Foundation
@_spi(Studio) import StoreBrowsing
import Testing

@_spi(Studio) @testable import StudioServer

/// Requests that no page and no browser sends, made up at random.
@Suite struct RandomRequestTests {
    /// Numbers that a seed decides.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }

        mutating func one<Element>(of list: [Element]) -> Element { list[Int.random(in: 0..<list.count, using: &self)] }
        mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
    }

    /// The seed is another one each time, unless `ASHLAR_TEST_FIRST_SEED` says one.
    private static let seed =
        ProcessInfo.processInfo.environment["ASHLAR_TEST_FIRST_SEED"].flatMap { UInt64($0) }
        ?? .random(in: 1..<1_000_000_000)

    /// A request, and whether it is one of this program's pages' own.
    private struct Request {
        var bytes: Data
        var isAllowed: Bool
    }

    private static let values = [
        "Picture", "Painter", "Nothing", "", "1", "2", "-1", "9223372036854775807", "9223372036854775808", "x", "%00",
        "%3Cscript%3E", "..%2F..%2Fetc%2Fpasswd", "%FF", "%", "%2", "%E2%80%AE", "i1", "n", "s", "zz", "t6161",
        "r7ff8000000000000",
        "year%20%3E%201", "year%20%3E%20(", "SUBQUERY(pictures%2C%20%24x%2C%20%24x.year%20%3E%201).%40count%20%3E%200",
        "PRAGMA%20journal_mode%3DDELETE", "ATTACH%20'x'%20AS%20y", "VACUUM%20INTO%20'x'", "csv", "json", "1%2C2",
        "%24x", "title%20MATCHES%20%22(a%2B)%2B%24%22", "nan", "1e308", "inf", "0.1",
    ]

    private static func query(_ random: inout Numbers) -> String {
        let names = [
            "entity", "table", "id", "sort", "descending", "filter", "behind", "before", "of", "relationship", "left",
            "right",
            "bottom", "top", "text", "token", "unknown", "%65ntity", "", "sql", "search", "columns", "numbers",
            "format",
        ]
        return (0..<Int.random(in: 0..<6, using: &random)).map { _ in
            let value =
                random.oneIn(40)
                ? String(repeating: "a", count: 1 << Int.random(in: 0..<18, using: &random)) : random.one(of: values)
            return random.one(of: names) + (random.oneIn(10) ? "" : "=") + value
        }.joined(separator: random.oneIn(10) ? "&&" : "&")
    }

    private static func request(_ gallery: Gallery, _ random: inout Numbers) -> Request {
        let (port, secret) = (gallery.port, gallery.studio.token.text)
        let method = random.one(of: [
            "GET", "GET", "GET", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get",
            "G\u{0}T", "",
        ])
        let path = random.one(of: [
            "/", "/rows", "/object", "/query", "/model", "/map", "/history", "/schema", "/differences", "/key-paths",
            "/style.css",
            "/save", "/insert", "/delete", "/bulk", "/bulk-save", "/new", "/sql", "/export", "/versions", "/choices",
            "/undo", "/redo", "/../../etc/passwd", "/%2e%2e/x", "//rows", "*",
            "rows", "http://x/rows",
            "/rows/", "/rows%00", "/\u{E9}",
        ])
        let query = query(&random)
        var host = ["Host: 127.0.0.1:\(port)"]
        var cookie = [gallery.cookie]
        var origin: [String] = method == "POST" ? ["Origin: http://127.0.0.1:\(port)"] : []
        var isAllowed = true
        if random.oneIn(3) {
            isAllowed = false
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                host = random.one(of: [
                    [], ["Host: example.org"], ["Host: 127.0.0.1"], ["Host: 127.0.0.1:\(port)", "Host: x"], ["Host:"],
                    ["Host: [::1]:\(port)"],
                ])
            case 1:
                cookie = random.one(of: [
                    [], ["Cookie: "], ["Cookie: ashlar-studio-\(port)"],
                    ["Cookie: ashlar-studio-\(port)=\(secret.dropLast())"],
                    ["Cookie: ashlar-studio-\(port + 1)=\(secret)"],
                    ["Cookie: ;;;=;" + String(repeating: "a=b;", count: 1000)],
                ])
            default:
                origin = random.one(of: [
                    ["Origin: null"], ["Origin: https://example.org"], ["Sec-Fetch-Site: cross-site"],
                    ["Origin: http://127.0.0.1:\(port).x"],
                ])
            }
        }
        var lines = ["\(method) \(path)\(query.isEmpty ? "" : "?")\(query) HTTP/1.\(random.oneIn(8) ? 0 : 1)"]
        lines += host + cookie + origin
        let form =
            random.oneIn(2)
            ? "form-token=\(gallery.studio.formToken.text.dropLast(random.oneIn(2) ? 1 : 64))&" + Self.query(&random)
            : Self.query(&random)
        let type = random.one(of: [
            "application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", "application/json",
            "",
        ])
        switch Int.random(in: 0..<6, using: &random) {
        case 0: lines += ["Content-Type: \(type)", "Content-Length: \(form.utf8.count)"]
        case 1: lines += ["Content-Type: \(type)", "Content-Length: \(form.utf8.count + 10)"]
        case 2: lines += ["Content-Type: \(type)", "Transfer-Encoding: chunked"]
        case 3: lines += ["Content-Length: 5", "Content-Length: 7"]
        case 4: lines += ["Content-Length: 99999999999999999999"]
        default: break
        }
        if random.oneIn(10) { lines += ["X: " + String(repeating: "x", count: 100_000)] }
        if random.oneIn(10) { lines += (0..<1200).map { "X\($0): y" } }
        if random.oneIn(10) { lines += ["Expect: 100-continue"] }
        if random.oneIn(10) { lines += ["Connection: Upgrade", "Upgrade: websocket"] }
        lines.append(random.oneIn(4) ? "Connection: keep-alive" : "Connection: close")
        let end = random.oneIn(10) ? "\n" : "\r\n"
        var bytes = Data((lines + ["", form]).joined(separator: end).utf8)
        if random.oneIn(6) { bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)) }
        if random.oneIn(6), !bytes.isEmpty {
            for _ in 0..<5 {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[bytes.startIndex + place] = UInt8.random(in: 0...255, using: &random)
            }
            isAllowed = true
        }
        return Request(bytes: bytes, isAllowed: isAllowed)
    }

    @Test("whatever is sent, the server goes on, nothing is told to strangers, and nothing is changed")
    func requests() async throws {
        try await Gallery.serving(pictures: 12, isWritable: true) { gallery async throws in
            let before = try Data(contentsOf: gallery.url)
            for round in 0..<30 {
                var random = Numbers(state: Self.seed &+ UInt64(round))
                let requests = (0..<10).map { _ in
                    // Several behind one another, without waiting for an answer.
                    let parts = (0..<(random.oneIn(4) ? 3 : 1)).map { _ in Self.request(gallery, &random) }
                    return Request(
                        bytes: parts.map(\.bytes).reduce(Data(), +), isAllowed: parts.contains { $0.isAllowed })
                }
                let answers = try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
                    for (index, request) in requests.enumerated() {
                        group.addTask {
                            (index, try await RawConnection.answer(request.bytes, gallery.port, milliseconds: 300))
                        }
                    }
                    return try await group.reduce(into: [Int: Answer]()) { $0[$1.0] = $1.1 }
                }
                for (index, answer) in answers {
                    let place =
                        "seed \(Self.seed), round \(round), request \(index): \(String(decoding: requests[index].bytes.prefix(300), as: UTF8.self))"
                    #expect(answer.status != 500, "\(place) \(answer.text.suffix(300))")
                    #expect(answer.status == 0 || (100..<600).contains(answer.status), "\(place)")
                    #expect(!answer.text.contains("root:"), "\(place)")
                    if !requests[index].isAllowed { #expect(!answer.text.contains("Ada"), "\(place)") }
                }
            }
            #expect(try await gallery.page("/").status == 200)
            #expect(try Data(contentsOf: gallery.url) == before)
        }
    }

    @Test("who begins a request and says no more keeps nobody waiting")
    func silence() async throws {
        try await Gallery.serving(pictures: 2) { gallery async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        _ = try await RawConnection.answer(
                            Data("GET / HTTP/1.1\r\nHost: 127".utf8), gallery.port, milliseconds: 2000)
                    }
                }
                for _ in 0..<20 { #expect(try await gallery.page("/").status == 200) }
                try await group.waitForAll()
            }
        }
    }
}
