import Testing

@_spi(Generated) @testable import Ashlar

/// Generated code with an invalid description of an entity does not stop the program, but no container opens with the
/// entity.
@Suite struct InvalidDescriptionTests {
    private func entity(
        _ columns: String, parent: EntityDescription? = nil, ownColumns: [Int] = [0]
    ) -> EntityDescription {
        EntityDescription(
            name: "Label", parent: parent, tableName: "Label", rootNumber: 0, number: 0,
            modelClass: Label.self, values: Label.Values.self, columns: columns, ownColumns: ownColumns)
    }

    private func open(_ entity: EntityDescription) throws {
        let model = ModelDescription(name: "Labels", entities: [entity], versions: [], schema: [])
        _ = try StoresOpener(model: model, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]).open()
    }

    @Test(arguments: [
        ("name", "name"), ("name text", "name text"), ("name string\nowner ->0", "owner ->0"),
        ("name string big", "name string big"), ("", ""), ("name string\nlabel string", ""),
    ])
    func aListThatIsNoList(_ columns: String, _ line: String) throws {
        let invalid = entity(columns, ownColumns: [0, 1, 2])
        for entity in [invalid, entity("name string", parent: invalid)] {
            #expect {
                try open(entity)
            } throws: { error in
                guard case StoreError.invalidDescription("Label", line: line) = error else { return false }
                return "\(error)".contains(line.isEmpty ? "too few columns" : "\"\(line)\"")
            }
        }
    }

    @Test func everyTypeOfAColumnIsKnown() {
        for type in [
            "integer16", "integer32", "integer64", "decimal", "double", "float", "string", "boolean", "date",
            "binary", "uuid", "uri", "transformable",
        ] {
            let (columns, line) = ColumnDescription.columns("a \(type)?", of: "Label", [:], atLeast: 1)
            #expect(line == nil && columns.first?.type?.rawValue == type && columns.first?.isOptional == true)
        }
    }
}
