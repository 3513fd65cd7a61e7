import Foundation

@testable import Ashlar

/// Writes the parts of a model that the importer reads, as Core Data archives them in a store.
struct KeptModel {
    enum Value {
        case null
        case flag(Bool)
        case number(Int64)
        case text(String)
        case reference(Int)
        case list([Value])
    }

    private var list = BinaryPropertyListWriter()
    private var objects: [Int] = []

    init() { objects = [list.add("$null")] }

    /// The file with all added objects.
    func data() -> Data {
        var list = list
        let archive = [(key: list.add("$objects"), value: list.add(.array(objects)))]
        let root = list.add(.dictionary(archive))
        return list.data(root: root)
    }

    /// Adds an object, and returns its number.
    mutating func add(_ className: String, _ values: KeyValuePairs<String, Value>) -> Int {
        let name = list.add(className)
        let kind = append(.dictionary([(list.add("$classname"), name)]))
        var pairs = [(key: list.add("$class"), value: list.add(.uid(kind)))]
        for (key, value) in values { pairs.append((list.add(key), self.value(value))) }
        return append(.dictionary(pairs))
    }

    private mutating func append(_ object: BinaryPropertyList.Object) -> Int {
        objects.append(list.add(object))
        return objects.count - 1
    }

    /// Returns the place of a value in the list; for an object, the place of the reference.
    private mutating func value(_ value: Value) -> Int {
        switch value {
        case .null: list.add(.uid(0))
        case .flag(let flag): list.add(.boolean(flag))
        case .number(let number): list.add(.integer(number))
        case .text(let text): list.add(.uid(append(.string(text))))
        case .reference(let number): list.add(.uid(number))
        case .list(let values):
            list.add(.uid(append(.dictionary([(list.add("NS.objects"), elements(values))]))))
        }
    }

    private mutating func elements(_ values: [Value]) -> Int {
        var places: [Int] = []
        for value in values { places.append(self.value(value)) }
        return list.add(.array(places))
    }

    // MARK: Parts of models

    /// Returns an index with the given names of properties and kinds of elements.
    mutating func index(
        _ name: String, _ elements: [(property: Value, kind: Int64, isAscending: Bool)], predicate: Value = .null
    ) -> Value {
        var numbers: [Value] = []
        for element in elements {
            let number = add(
                "NSFetchIndexElementDescription",
                [
                    "NSPropertyName": element.property, "NSFetchIndexElementType": .number(element.kind),
                    "NSAscending": .flag(element.isAscending),
                ])
            numbers.append(.reference(number))
        }
        return .reference(
            add(
                "NSFetchIndexDescription",
                ["NSIndexName": .text(name), "NSIndexElements": .list(numbers), "NSPartialIndexPredicate": predicate]))
    }

    mutating func attribute(
        _ name: String, of entity: Int, type: Int64 = 700, isIndexed: Bool = false,
        className: String = "NSAttributeDescription", before: String? = nil
    ) {
        _ = add(
            className,
            [
                "NSPropertyName": .text(name), "NSEntity": .reference(entity), "NSAttributeType": .number(type),
                "NSIsOptional": .flag(true), "NSIsIndexed": .flag(isIndexed),
                "NSRenamingIdentifier": .text(before ?? name), "NSDefaultValue": .null,
            ])
    }

    mutating func relationship(
        _ name: String, of entity: Int, to destination: String, inverse: String, maximum: Int64, before: String? = nil
    ) {
        _ = add(
            "NSRelationshipDescription",
            [
                "NSPropertyName": .text(name), "NSEntity": .reference(entity),
                "_NSDestinationEntityName": .text(destination), "_NSInverseRelationshipName": .text(inverse),
                "NSMaxCount": .number(maximum), "NSDeleteRule": .number(1), "NSIsOptional": .flag(true),
                "NSRenamingIdentifier": .text(before ?? name),
            ])
    }
}
