import AshlarSQLite
import Foundation
import Observation
import Testing

@_spi(Generated) @testable import Ashlar

@Suite struct DerivedAttributeTests {
    private func container() throws -> ModelContainer { try memoryContainer(NewsroomModel.self) }

    @Test func aSaveGivesTheObjectsThatItWroteTheirValues() throws {
        let context = ModelContext(try container())
        let author = Reporter(name: "Éva")
        let report = Report(title: "Straße", wordCount: 7, author: author)
        context.insert(author)
        context.insert(report)
        #expect(author.reportsCount == 0 && author.canonicalName == nil && report.sectionLabel == "none")
        try context.save()
        #expect(author.alias == "Éva" && author.canonicalName == "eva")
        #expect(author.reportsCount == 1 && author.wordsTotal == 7)
        #expect(report.authorName == "Éva" && report.authorKey == "eva" && report.shoutedTitle == "STRASSE")
        #expect(report.sectionLabel == "none" && report.modified != nil)
        #expect(report.values.shoutedTitle == "STRASSE")
        #expect(!context.hasChanges)
    }

    @Test func aSaveRefreshesRegisteredObjectsThatItDidNotWrite() throws {
        let context = ModelContext(try container())
        let author = Reporter(name: "Ada")
        context.insert(author)
        try context.save()
        let version = author.record.version
        let report = Report(title: "One", wordCount: 3, author: nil)
        context.insert(report)
        try context.save()
        report.author = author
        try context.save()
        #expect(author.reportsCount == 1 && author.wordsTotal == 3)
        author.name = "Bea"
        try context.save()
        #expect(report.authorName == "Bea" && report.authorKey == "bea")
        context.delete(report)
        try context.save()
        #expect(author.reportsCount == 0)
        #expect(try context.fetched(Reporter.self).first?.values == author.values)
        #expect(author.record.version >= version)
    }

    @Test func whatAnotherContextChangesIsSeenByTheNextFetchAndIsNoConflict() throws {
        let container = try container()
        let first = ModelContext(container)
        let author = Reporter(name: "Ada")
        first.insert(author)
        try first.save()
        let second = ModelContext(container)
        let other = try #require(try second.fetch(FetchDescriptor<Reporter>()).first)
        second.insert(Report(title: "One", author: other))
        try second.save()
        #expect(other.reportsCount == 1)
        // The triggers wrote the author's row, but the first context's change does not conflict.
        author.name = "Bea"
        try first.save()
        #expect(author.reportsCount == 1)
        _ = try first.fetch(FetchDescriptor<Reporter>())
        try container.execute("DELETE FROM \"Report\"")
        #expect(try first.fetch(FetchDescriptor<Reporter>()).first === author)
        #expect(author.reportsCount == 0)
    }

    @Test("rows 9, 65, 70: a merge brings what is derived, and observers are told")
    func aMergeBringsWhatIsDerived() throws {
        let container = try container()
        let (first, second) = (ModelContext(container), ModelContext(container))
        let author = Reporter(name: "Ada")
        first.insert(author)
        try first.save()
        second.automaticallyMergesChangesFromParent = true
        second.isObservable = true
        first.isObservable = true
        let twin: Reporter = try second.model(for: author.persistentModelID)
        let (here, there) = (Counter(), Counter())
        withObservationTracking {
            _ = author.reportsCount
        } onChange: {
            here.add()
        }
        withObservationTracking {
            _ = twin.reportsCount
        } onChange: {
            there.add()
        }
        first.insert(Report(title: "One", author: author))
        try first.save()
        #expect(author.reportsCount == 1 && here.value == 1)
        second.processPendingChanges()
        #expect(twin.reportsCount == 1 && there.value == 1)
        // The saving context need not contain the owner.
        let third = ModelContext(container)
        third.delete(try #require(try third.fetch(FetchDescriptor<Report>()).first))
        withObservationTracking {
            _ = twin.reportsCount
        } onChange: {
            there.add()
        }
        try third.save()
        second.processPendingChanges()
        #expect(twin.reportsCount == 0 && there.value == 2)
    }

    @Test func aRollbackTakesBackWhatWasSetAndNotWhatIsDerived() throws {
        let container = try container()
        try container.execute("INSERT INTO \"Publisher\" (\"id$\", \"name\") VALUES (1, 'House')")
        try container.execute("INSERT INTO \"Reporter\" (\"name\", \"publisher\") VALUES ('Ada', 1)")
        let context = ModelContext(container)
        let author = try #require(try context.fetch(FetchDescriptor<Reporter>()).first)
        let publisher = try #require(author.publisher)
        author.name = "Bea"
        try container.execute("INSERT INTO \"Report\" (\"title\", \"author\") SELECT 'x', \"id$\" FROM \"Reporter\"")
        #expect(Array(publisher.authors) == [author] && author.reportsCount == 1)
        context.rollback()
        #expect(author.name == "Ada" && author.reportsCount == 1)
    }

    @Test func derivedAttributesAreUsedInConditionsOrdersAndConstraints() throws {
        let context = ModelContext(try container())
        for name in ["Éva", "Ada", "Zoë"] { context.insert(Reporter(name: name)) }
        try context.save()
        let found = try context.fetch(Reporter.where { $0.canonicalName == "eva" })
        #expect(found.map(\.name) == ["Éva"])
        let ordered = try context.fetch(Reporter.order { $0.canonicalName.descending })
        #expect(ordered.map(\.name) == ["Zoë", "Éva", "Ada"])
        context.insert(Reporter(name: "EVA"))
        #expect(throws: (any Error).self) { try context.save() }
    }

    /// Checks which rows got a time, but not the time itself.
    @Test func theTimeIsSetWhereARowIsWrittenAndNotWhereItsDerivedValuesChange() throws {
        let container = try container()
        try container.execute("INSERT INTO \"Reporter\" (\"id$\", \"name\") VALUES (1, 'Ada')")
        for (identifier, entity) in [(1, "NULL"), (2, "NULL"), (3, "'Feature'")] {
            try container.execute(
                """
                INSERT INTO "Report" ("id$", "entity$", "title", "author") VALUES (\(identifier), \(entity), 'x', 1)
                """)
        }
        func unset() throws {
            try container.execute("UPDATE \"Report\" SET \"modified\" = NULL, \"modifiedFeature\" = NULL")
        }
        func set() throws -> String? {
            try container.text(
                """
                SELECT group_concat("id$" || CASE WHEN "modified" IS NULL THEN '' ELSE 'm' END
                    || CASE WHEN "modifiedFeature" IS NULL THEN '' ELSE 'f' END) FROM "Report"
                """)
        }
        #expect(try set() == "1m,2m,3mf")
        try unset()
        try container.execute("UPDATE \"Reporter\" SET \"name\" = 'Bea'")
        #expect(try set() == "1,2,3")
        try container.execute("UPDATE \"Report\" SET \"title\" = 'y' WHERE \"id$\" <> 2")
        #expect(try set() == "1m,2,3mf")
        try unset()
        try container.execute("UPDATE \"Report\" SET \"version$\" = \"version$\" + 1 WHERE \"id$\" = 2")
        #expect(try set() == "1,2m,3")
    }

    @Test func aPartialIndexServesTheSameConditionOfAQuery() throws {
        let container = try container()
        let context = ModelContext(container)
        for number in 0..<200 { context.insert(Report(rating: Double(number % 7), title: "A\(number)")) }
        try context.save()
        let descriptor = Report.where { $0.rating > 3 && $0.title.hasPrefix("A") }.order { $0.rating.descending }
        let found = try context.fetch(descriptor).map(\.title).sorted()
        #expect(found == (0..<200).filter { $0 % 7 > 3 }.map { "A\($0)" }.sorted())
        let plan = try container.plan(
            ofStatementWith: "ORDER BY \"Report\".\"rating\"", [.real(3), .text("A"), .text("B")])
        #expect(plan.contains("index$Report$rated"), "\(plan)")
    }

    @Test func anIndexOverAnExpressionIsKept() throws {
        let container = try container()
        try container.execute("INSERT INTO \"Report\" (\"title\", \"wordCount\") VALUES ('a', 2), ('b', NULL)")
        let plan = try container.text(
            "SELECT \"detail\" FROM (SELECT 'x' AS \"detail\") WHERE EXISTS (SELECT 1 FROM \"Report\" "
                + "INDEXED BY \"index$Report$doubledWords\" WHERE \"wordCount\" * 2 = 4)")
        #expect(plan == "x")
    }
}

extension ModelContainer {
    /// Returns the query plan of the statement that contains a text and that a context ran before, with values for its
    /// parameters.
    fileprivate func plan(ofStatementWith text: String, _ values: [SQLiteValue]) throws -> String {
        try pool.read { connection in
            var statement = sqlite3_next_stmt(connection.database, nil)
            while let current = statement {
                if let sql = sqlite3_sql(current).map({ String(cString: $0) }), sql.contains(text) {
                    let explanation = try Statement("EXPLAIN QUERY PLAN " + sql, database: connection.database)
                    for (index, value) in values.enumerated() { explanation.bind(value, Int32(index + 1)) }
                    var lines: [String] = []
                    while try explanation.step() {
                        lines.append(Row(statement: explanation.handle, store: 0).optionalString(3) ?? "")
                    }
                    return lines.joined(separator: "; ")
                }
                statement = sqlite3_next_stmt(connection.database, current)
            }
            return "no such statement"
        }
    }
}
