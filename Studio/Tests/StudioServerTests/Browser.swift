import Foundation
import Synchronization

/// A real browser without a window, steered by WebDriver's requests.
final class Browser: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// How somebody looks at pages.
    enum Look: String, CaseIterable {
        case light, dark, narrow
    }

    /// The driver's path; nil where there is none.
    static let driver: String? =
        ["/usr/bin/chromedriver", "/usr/local/bin/chromedriver"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }

    /// The number of actions that a person would do.
    struct Effort: Sendable {
        var clicks = 0
        var drags = 0
        var keys = 0
    }

    private let port: Int
    private let session: String
    private let counted = Mutex(Effort())

    /// The actions so far.
    var effort: Effort { counted.withLock { $0 } }

    private init(_ port: Int, _ session: String) {
        self.port = port
        self.session = session
    }

    /// Runs a closure with a browser, which has ended when this returns, with all its processes.
    ///
    /// - Parameters:
    ///   - hasScript: Whether pages may run scripts.
    ///   - isTraced: Whether ``trace()`` has the browser's own trace.
    static func running<Result>(
        _ look: Look = .light, hasScript: Bool = true, isTraced: Bool = false,
        _ body: (Browser) async throws -> Result
    ) async throws -> Result {
        guard let driver else { throw Failure(description: "no driver") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: driver)
        process.arguments = ["--port=0"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        defer {
            // What a thread of Swift's tasks starts inherits that most signals are blocked: it never hears of being asked to end.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        let port = try Self.port(toldIn: output)
        let browser = Browser(port, try await session(port, isTraced: isTraced))
        let result: Swift.Result<Result, any Error>
        do {
            try await browser.take(look)
            if !hasScript { try await browser.command("Emulation.setScriptExecutionDisabled", ["value": true]) }
            result = .success(try await body(browser))
        } catch {
            result = .failure(error)
        }
        // A driver that is ended by itself leaves its browser behind.
        try await browser.send("DELETE", "")
        return try result.get()
    }

    /// The port that the driver says it was started on.
    private static func port(toldIn output: Pipe) throws -> Int {
        var text = ""
        while true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw Failure(description: "The driver did not start: \(text)") }
            text += String(decoding: data, as: UTF8.self)
            if let found = text.firstMatch(of: /started successfully on port (\d+)/), let port = Int(found.1) {
                return port
            }
        }
    }

    private static func session(_ port: Int, isTraced: Bool) async throws -> String {
        var options: [String: Any] = [
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900",
            ]
        ]
        var logs = ["browser": "ALL"]
        if isTraced {
            logs["performance"] = "ALL"
            options["perfLoggingPrefs"] =
                [
                    "enableNetwork": false, "enablePage": false,
                    "traceCategories": "devtools.timeline,disabled-by-default-devtools.timeline.frame",
                ] as [String: Any]
        }
        let capabilities: [String: Any] = [
            "browserName": "chrome", "goog:loggingPrefs": logs, "goog:chromeOptions": options,
            "timeouts": ["script": 30_000, "pageLoad": 60_000],
        ]
        let value = try await ask(
            port, "POST", "/session",
            JSONSerialization.data(withJSONObject: ["capabilities": ["alwaysMatch": capabilities]]))
        guard let found = try Self.value(value) as? [String: Any], let session = found["sessionId"] as? String else {
            throw Failure(description: "The driver began no session.")
        }
        return "/session/" + session
    }

    private func take(_ look: Look) async throws {
        try await command(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": look == .dark ? "dark" : "light"]]])
        if look == .narrow {
            try await command(
                "Emulation.setDeviceMetricsOverride",
                ["width": 380, "height": 760, "deviceScaleFactor": 1, "mobile": false])
        }
    }

    // MARK: Requests

    @discardableResult
    func send(_ method: String, _ path: String, _ body: [String: Any] = [:]) async throws -> Any {
        let data = method == "POST" ? try JSONSerialization.data(withJSONObject: body) : Data()
        return try Self.value(await Self.ask(port, method, session + path, data))
    }

    private static func ask(_ port: Int, _ method: String, _ path: String, _ body: Data) async throws -> Data {
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        let answer = try await RawConnection.answer(Data(head.utf8) + body, port, milliseconds: 90_000) { received in
            let parts = String(decoding: received, as: UTF8.self).split(separator: "\r\n\r\n", maxSplits: 1)
            guard parts.count == 2, let found = parts[0].firstMatch(of: /(?i)content-length: *(\d+)/) else {
                return false
            }
            return parts[1].utf8.count >= Int(found.1) ?? 0
        }
        return Data(answer.body.utf8)
    }

    private static func value(_ data: Data) throws -> Any {
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let value = answer?["value"] ?? NSNull()
        if let found = value as? [String: Any], let error = found["error"] {
            throw Failure(description: "\(error): \(found["message"] ?? "")")
        }
        return value
    }

    /// What the browser itself does when it is told so in its own language.
    @discardableResult
    func command(_ name: String, _ parameters: [String: Any]) async throws -> [String: Any] {
        try await send("POST", "/goog/cdp/execute", ["cmd": name, "params": parameters]) as? [String: Any] ?? [:]
    }

    // MARK: What somebody does

    func open(_ address: String) async throws { try await send("POST", "/url", ["url": address]) }

    var address: String { get async throws { try await send("GET", "/url") as? String ?? "" } }

    /// The path of the address, with its parameters.
    var path: String { get async throws { try await value("location.pathname + location.search") } }

    /// Clicks the first element that an XPath finds.
    func click(_ path: String) async throws {
        // A list opens, and then one of it is chosen.
        counted.withLock { $0.clicks += path.contains("/option") ? 2 : 1 }
        try await act(path, "click")
    }

    /// Types into an element; keys beside letters are those of WebDriver's private area.
    func type(_ text: String, into path: String) async throws {
        counted.withLock { $0.keys += text.count }
        try await act(path, "value", ["text": text])
    }

    /// Presses keys wherever the focus is.
    ///
    /// - Parameter modifier: A key that is held meanwhile.
    func press(_ keys: String, holding modifier: String? = nil) async throws {
        counted.withLock { $0.keys += keys.count }
        var actions = keys.unicodeScalars.flatMap { key in
            ["keyDown", "keyUp"].map { ["type": $0, "value": String(key)] }
        }
        if let modifier {
            actions =
                [["type": "keyDown", "value": modifier]] + actions + [["type": "keyUp", "value": modifier]]
        }
        try await send("POST", "/actions", ["actions": [["type": "key", "id": "keyboard", "actions": actions]]])
    }

    /// Presses the mouse on an element, moves it, and lets go.
    ///
    /// - Parameters:
    ///   - start: The place to press at, from the middle of the element.
    ///   - steps: The places to move to, from the element again, or from another one.
    ///   - milliseconds: The time between two places.
    func drag(
        _ path: String, from start: (x: Int, y: Int) = (0, 0), to steps: [(x: Int, y: Int)], of other: String? = nil,
        milliseconds: Int = 50
    ) async throws {
        counted.withLock { $0.drags += 1 }
        func move(_ element: String, _ place: (x: Int, y: Int)) -> [String: Any] {
            [
                "type": "pointerMove", "duration": milliseconds, "x": place.x, "y": place.y,
                "origin": ["element-6066-11e4-a52e-4f735466cecf": element],
            ]
        }
        let element = try await find(path)
        let target = if let other { try await find(other) } else { element }
        // The element itself moves: its places are those from before.
        let origin = try await value(
            "(() => { const r = \(Self.script(path)).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()"
        )
        .split(separator: ",").compactMap { Double($0) }.map { Int($0) }
        let moves: [[String: Any]] =
            other == nil
            ? steps.map {
                [
                    "type": "pointerMove", "duration": milliseconds, "x": origin[0] + $0.x, "y": origin[1] + $0.y,
                    "origin": "viewport",
                ]
            } : steps.map { move(target, $0) }
        let actions =
            [move(element, start), ["type": "pointerDown", "button": 0]] + moves + [["type": "pointerUp", "button": 0]]
        try await send(
            "POST", "/actions",
            [
                "actions": [
                    ["type": "pointer", "id": "mouse", "parameters": ["pointerType": "mouse"], "actions": actions]
                ]
            ])
    }

    /// An expression of JavaScript for the first element that an XPath finds.
    static func script(_ path: String) -> String {
        "document.evaluate(`\(path)`, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue"
    }

    func clear(_ path: String) async throws { try await act(path, "clear") }

    /// Does something with an element, which is found again if the page was replaced in between.
    private func act(_ path: String, _ action: String, _ body: [String: Any] = [:]) async throws {
        for _ in 0..<5 {
            do {
                try await send("POST", "/element/\(find(path))/\(action)", body)
                return
            } catch let error as Failure where error.description.hasPrefix("stale element reference") {}
        }
        throw Failure(description: "The page was always replaced before '\(action)' of \(path).")
    }

    private func find(_ path: String) async throws -> String {
        let value = try await send("POST", "/element", ["using": "xpath", "value": path])
        guard let element = (value as? [String: Any])?.values.first as? String else {
            throw Failure(description: "There is no \(path).")
        }
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
        for _ in 0..<200 {
            if try await value(expression) == "true" { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(description: "It never was so: \(expression)")
    }

    /// Does something that the server answers with another page or panel, and waits until the browser shows it.
    func answered(_ action: () async throws -> Void) async throws {
        // Each answer replaces the header's buttons, and with them the mark.
        let mark = "document.querySelector('header .undo')"
        _ = try await value("\(mark).dataset.old = ''")
        try await action()
        try await wait("document.readyState === 'complete' && !!\(mark) && !('old' in \(mark).dataset)")
    }

    /// What the console has got since it was asked for last.
    var console: [String] {
        get async throws {
            let entries = try await send("POST", "/se/log", ["type": "browser"]) as? [[String: Any]] ?? []
            return entries.map { "\($0["message"] ?? "")" }
        }
    }

    /// The page as a picture, from its beginning down to where few read on.
    func picture() async throws -> Data {
        let sides = try await value(
            "innerWidth + ' ' + Math.min(2400, Math.max(innerHeight, document.documentElement.scrollHeight))"
        )
        .split(separator: " ").compactMap { Double($0) }
        guard sides.count == 2 else { throw Failure(description: "The page has no extent.") }
        let answer = try await command(
            "Page.captureScreenshot",
            [
                "format": "png", "captureBeyondViewport": true,
                "clip": ["x": 0, "y": 0, "width": sides[0], "height": sides[1], "scale": 1],
            ])
        return Data(base64Encoded: answer["data"] as? String ?? "") ?? Data()
    }
}
