import DataModel
import Foundation
import GeneratorPipeline
import IndexAdvice
import ModelFormat
import RelationalSchema
import Synchronization
import Testing

import class RelationalSchema.Schema

@testable import Ashlar

/// Advice on the statements of a running program and on the model's fetch request templates.
@Suite struct AdviceTests {
    /// The shapes of the statements that a closure runs, as a statement recorder stores them.
    private func shapes(_ body: (ModelContext) throws -> Void) throws -> [String] {
        let told = Mutex<[String]>([])
        let context = try memoryContext()
        let home = Label(name: "home")
        context.insert(home)
        context.insert(Sample(day: Date(timeIntervalSinceReferenceDate: 5), name: "a", home: home))
        try context.save()
        context.statementObserver = StatementObserver { event in told.withLock { $0.append(event.sql) } }
        try body(context)
        // The number of rows decides which indexes are forbidden.
        return told.withLock { $0.map { StatementShape($0).sql.replacing(" NOT INDEXED", with: "") } }
    }

    private static let modelPath = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Models/Torture.xcdatamodeld").path

    private func schema(atPath path: String = Self.modelPath) throws -> Schema {
        try #require(ModelPlan.make(modelPath: path).plan).schema
    }

    @Test func whatIsExplainedIsWhatRuns() throws {
        let queries = IndexAdvisor.queries(of: try schema())
        func check(_ name: String, _ body: (ModelContext) throws -> Void) throws {
            let query = try #require(
                queries.first {
                    switch $0.origin {
                    case .template(name, _), .fetchedProperty(name, _): true
                    default: false
                    }
                })
            let run = try shapes(body)
            #expect(
                run.contains(StatementShape(query.sql).sql), "\(name)\n\(query.sql)\n\(run.joined(separator: "\n"))")
        }
        func sample(_ context: ModelContext) throws -> Sample { try #require(try context.fetch(Sample.all).first) }
        func label(_ context: ModelContext) throws -> Label { try #require(try context.fetch(Label.all).first) }
        try check("everySample") { _ = try $0.fetch(Sample.everySample()) }
        try check("Counted") { _ = try $0.fetch(Sample.counted(least: 1, names: ["a", "b", "c"])) }
        try check("titled like") { _ = try $0.fetch(Sample.titledLike(pattern: "x")) }
        try check("ofParent") { _ = try $0.fetch(Sample.ofParent(parent: try sample($0), start: "x")) }
        try check("withBusyChildren") { _ = try $0.fetch(Sample.withBusyChildren(least: 1)) }
        try check("pricedBetween") { _ = try $0.fetch(Sample.pricedBetween(range: 1...2, total: 5)) }
        try check("literals") { _ = try $0.fetch(Sample.literals()) }
        try check("computed") { _ = try $0.fetch(Sample.computed(twice: 1, text: "x")) }
        try check("onlyVehicles") { _ = try $0.fetch(Vehicle.onlyVehicles(request: "x")) }
        try check("carsWithCargo") { context in
            let boat = Boat(name: "boat")
            context.insert(boat)
            try context.save()
            _ = try context.fetch(Vehicle.carsWithCargo(boat: boat))
        }
        try check("playlistsStartingWith") { _ = try $0.fetch(Playlist.playlistsStartingWith(name: "x")) }
        try check("onSameDay") {
            let home = try label($0)
            _ = try $0.fetch(Sample.onSameDay(other: try sample($0), homes: [home, home]))
        }
        try check("inStreet") { _ = try $0.fetch(Sample.inStreet(street: "x")) }
        try check("homeMates") { _ = try sample($0).homeMates }
    }

    @Test func fullTextTemplatesAreExplainedAsTheyRun() throws {
        let path = URL(fileURLWithPath: Self.modelPath).deletingLastPathComponent()
            .appendingPathComponent("Library.xcdatamodeld").path
        let told = Mutex<[String]>([])
        let context = ModelContext(try memoryContainer(LibraryModel.self))
        context.statementObserver = StatementObserver { event in
            // FTS5 runs statements of its own.
            if !event.sql.hasPrefix("PRAGMA") { told.withLock { $0.append(StatementShape(event.sql).sql) } }
        }
        _ = try context.fetch(Tome.about(WORDS: "great", pages: 20))
        _ = try context.fetch(Tome.byWritersAbout(words: "lu"))
        let queries = IndexAdvisor.queries(of: try schema(atPath: path)).map { StatementShape($0.sql).sql }
        #expect(queries == told.withLock { $0 })
    }

    @Test func aProgramIsRecordedAdvisedAndFixed() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("queries.jsonl")
        let bundle = folder.file("Torture.xcdatamodeld")
        try FileManager.default.copyItem(at: URL(fileURLWithPath: Self.modelPath), to: bundle)
        let store = folder.file()
        do {
            let recorder = try StatementRecorder(to: file)
            var configuration = ModelConfiguration(url: store)
            configuration.statementObserver = recorder.observer
            let context = ModelContext(try ModelContainer(for: TortureModel.self, configurations: configuration))
            for number in 0..<1000 { context.insert(Sample(count: Int64(number % 10), name: "sample \(number)")) }
            try context.save()
            _ = try context.fetch(Sample.where { $0.name == "sample 7" })
            _ = try context.fetch(Sample.where { $0.count == 3 }.order { $0.day.descending }.limit(3))
            try recorder.flush()
        }
        func advice() throws -> IndexAdvice {
            let schema = try schema(atPath: bundle.path)
            let recording = try StatementRecording(contentsOf: [file])
            #expect(recording.unreadableLineCount == 0)
            let sample = try StoreSample(ofStoreAt: store)
            return IndexAdvisor(schema, sample: sample, recording: nil).advice(on: recording.queries)
        }
        let first = try advice()
        #expect(first.skipped.isEmpty, "\(first.skipped)")
        let names = first.additions.map(\.name)
        #expect(names == ["byCountAndDay", "byName"], "\(AdviceReport(first).text)")
        try ModelFixer.write(try ModelFixer.changedFile(by: first.additions.map(\.change)))
        let second = try advice()
        #expect(second.additions.isEmpty, "\(AdviceReport(second).text)")
    }
}
