import ArgumentParser
import Foundation

/// Three programs in one terminal, which are cut off and reconnected, while hubs and a PostgreSQL server stop and start
/// again.
struct Demonstration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Shows how three programs resolve concurrent changes.")
    @OptionGroup var place: FleetPrograms

    func run() throws {
        try place.withServers { servers, programs, folder in
            let log = "demonstration"
            let token = try servers.hub(["token", "make", log, "--access", "administer"])
            try servers.pushModel(toLog: log)
            var stage = try Stage(servers, programs, folder, log, token)
            try stage.play()
        }
    }

    private struct Stage {
        private let servers: Servers
        private var people: [String: Program] = [:]
        private let names = ["Ada", "Bea", "Cem"]

        init(_ servers: Servers, _ programs: URL, _ folder: URL, _ log: String, _ token: String) throws {
            self.servers = servers
            for (number, name) in names.enumerated() {
                let program = try Program(
                    programs.appendingPathComponent("GalleryPeer"),
                    [
                        folder.appendingPathComponent("\(name).store").path, "3", servers.address(number), log, token,
                        name,
                    ])
                guard program.line() == "ready" else { throw Program.Ended(description: "\(name) does not start") }
                people[name] = program
            }
        }

        mutating func play() throws {
            title("PostgreSQL and two hubs run. Ada and Cem use the first hub, Bea the second.")
            try tell("Ada", "album Holiday", "photo Holiday Beach", "photo Holiday Bar", "sync")
            try tell("Bea", "sync")
            try tell("Cem", "sync")
            title("Cem is cut off. All three go on working.")
            try tell("Ada", "like Beach 3", "label Beach sea", "caption Beach Sunrise", "score Beach 7", "sync")
            try tell("Bea", "sync", "like Beach 2", "remove Bar", "sync")
            try tell(
                "Cem", "like Beach 4", "label Beach sea", "caption Beach Moonlight", "score Beach 5", "score Bar 1")
            title("Cem is back. His changes are put on those of the others.")
            try tell("Cem", "sync", "show", "events")
            title(
                "Likes add up. Both made the label 'sea', which is unique: it is one. Of captions the first counts, of scores the greatest."
            )
            try tell("Ada", "sync", "show")
            try tell("Bea", "sync", "show")
            title("The first hub is killed, and PostgreSQL too.")
            servers.stopHub(0)
            try servers.stopPostgres()
            try tell("Ada", "like Beach 10", "sync")
            try tell("Bea", "like Beach 100", "sync")
            title("Both come back, and no change is lost.")
            try servers.restartPostgres()
            try servers.restartHub(0)
            for name in names + names { try tell(name, "sync", isQuiet: true) }
            var shown: Set<[String]> = []
            for name in names { shown.insert(try tell(name, "show")) }
            guard shown.count == 1 else { throw Program.Ended(description: "The three are not equal.") }
            title("All three are equal. The hub has the rows as tables, for reports in SQL:")
            let report = """
                SELECT a.name AS album, l.name AS label, count(*) AS photos, sum(p.likes) AS likes
                FROM "log_demonstration"."Photo" p JOIN "log_demonstration"."Album" a ON a.id$ = p.album
                LEFT JOIN "log_demonstration"."Label$photos" x ON x.target$ = p.id$
                LEFT JOIN "log_demonstration"."Label" l ON l.id$ = x.source$
                GROUP BY a.name, l.name
                """
            for line in report.split(separator: "\n") { print("  \(line)") }
            let rows = try servers.query(report)
            for row in rows { print("       \(row)") }
            guard rows == ["Holiday|sea|1|119"] else { throw Program.Ended(description: "The tables have other rows.") }
        }

        private func title(_ text: String) { print("\n\(text)") }

        @discardableResult
        private func tell(_ name: String, _ lines: String..., isQuiet: Bool = false) throws -> [String] {
            var all: [String] = []
            for line in lines {
                guard let program = people[name] else { continue }
                program.send(line)
                if !isQuiet { print("  \(name): \(line)") }
                while true {
                    guard let answer = program.line() else { throw Program.Ended(description: "\(name) ended") }
                    if answer.hasPrefix("failed") { throw Program.Ended(description: answer) }
                    if answer.hasPrefix("done") {
                        if answer != "done", !isQuiet { print("       \(answer.dropFirst(6))") }
                        break
                    }
                    all.append(answer)
                    print("       \(answer)")
                }
            }
            return all
        }
    }
}
