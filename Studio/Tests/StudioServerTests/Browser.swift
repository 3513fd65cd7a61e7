import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A real browser without a window, steered by WebDriver's requests.
final class Browser {
    struct Failure: Error {
        var what: String
    }

    /// The driver's path; nil where there is none.
    static let driver: String? =
        ["/usr/bin/chromedriver", "/usr/local/bin/chromedriver"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }

    private let process = Process()
    private let port: Int
    private var session = ""

    init(isDark: Bool = false) async throws {
        port = Int.random(in: 20_000..<60_000)
        guard let driver = Self.driver else { throw Failure(what: "no driver") }
        process.executableURL = URL(fileURLWithPath: driver)
        process.arguments = ["--port=\(port)", "--silent"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let options: [String: Any] = [
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900",
            ]
        ]
        let capabilities: [String: Any] = [
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL"],
        ]
        for attempt in 0... {
            do {
                let value = try await send("POST", "", ["capabilities": ["alwaysMatch": capabilities]])
                session = "/" + ((value as? [String: Any])?["sessionId"] as? String ?? "")
                break
            } catch {
                // It takes a moment until it listens.
                if attempt == 100 { throw error }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        let media = ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]]
        _ = try await send("POST", "/goog/cdp/execute", ["cmd": "Emulation.setEmulatedMedia", "params": media])
    }

    deinit { process.terminate() }

    @discardableResult
    private func send(_ method: String, _ path: String, _ body: [String: Any]? = [:]) async throws -> Any {
        guard let url = URL(string: "http://127.0.0.1:\(port)/session\(session)\(path)") else {
            throw Failure(what: path)
        }
        var request = URLRequest(url: url, timeoutInterval: 60)
        request.httpMethod = method
        if method == "POST", let body {
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, _) = try await URLSession.shared.data(for: request)
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let value = answer?["value"] ?? NSNull()
        if let error = (value as? [String: Any])?["error"] { throw Failure(what: "\(path): \(error)") }
        return value
    }

    // MARK: What somebody does

    func open(_ address: String) async throws { try await send("POST", "/url", ["url": address]) }

    var address: String { get async throws { try await send("GET", "/url") as? String ?? "" } }

    /// Clicks the first element that an XPath finds.
    func click(_ path: String) async throws { try await send("POST", "/element/\(find(path))/click") }

    /// Types into an element; keys beside letters are those of WebDriver's private area.
    func type(_ text: String, into path: String) async throws {
        try await send("POST", "/element/\(find(path))/value", ["text": text])
    }

    func clear(_ path: String) async throws { try await send("POST", "/element/\(find(path))/clear") }

    private func find(_ path: String) async throws -> String {
        let value = try await send("POST", "/element", ["using": "xpath", "value": path])
        guard let element = (value as? [String: Any])?.values.first as? String else { throw Failure(what: path) }
        return element
    }

    /// What an expression of JavaScript gives, as text.
    func value(_ expression: String) async throws -> String {
        let value = try await send(
            "POST", "/execute/sync", ["script": "return String(\(expression))", "args": [Any]()])
        return value as? String ?? ""
    }

    /// Waits until an expression is true.
    func wait(_ expression: String) async throws {
        for _ in 0..<100 {
            if try await value(expression) == "true" { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(what: "never: \(expression)")
    }

    /// What the console has.
    var console: [String] {
        get async throws {
            let entries = try await send("POST", "/se/log", ["type": "browser"]) as? [[String: Any]] ?? []
            return entries.map { "\($0["message"] ?? "")" }
        }
    }

    /// The page as a picture.
    func picture() async throws -> Data {
        Data(base64Encoded: try await send("GET", "/screenshot") as? String ?? "") ?? Data()
    }
}
