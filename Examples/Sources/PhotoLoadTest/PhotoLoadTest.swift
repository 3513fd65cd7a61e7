import Foundation
import PhotoLoad

/// Eight clients that write to a running service and read from it, at once:
///
///     swift run -c release PhotoLoadTest [url] [rounds of each client]
@main
struct PhotoLoadTest {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let rounds = Int(arguments.dropFirst().first ?? "100"), rounds > 0 else {
            print("usage: PhotoLoadTest [url] [rounds]")
            exit(2)
        }
        let report = try await LoadTest(url: arguments.first ?? "http://127.0.0.1:8080", rounds: rounds).run()
        print(report.text)
        exit(report.problems.isEmpty ? 0 : 1)
    }
}
