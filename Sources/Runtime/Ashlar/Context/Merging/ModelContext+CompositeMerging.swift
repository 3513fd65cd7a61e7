/// Combining values of one row if a composite is nil on one side.
extension ModelContext {
    /// Returns an object's columns, completed by those of composites that are nil in the stored row. A part cannot be
    /// set in a composite that is nil, so the entire composite is taken with it.
    func completing(_ columns: Set<Int>, of object: ManagedObject, against stored: ManagedObject) -> Set<Int> {
        let entity = object.entity
        var result = columns
        for column in columns where entity.columns[column].property.utf8.contains(UInt8(ascii: ".")) {
            let names = entity.columns[column].property.split(separator: ".")
            for count in 1..<names.count {
                let path = names[..<count].joined(separator: ".")
                guard let presence = entity.ownColumns.first(where: { entity.columns[$0].property == path }),
                    stored.sqliteValue(presence).isNull, !object.sqliteValue(presence).isNull
                else { continue }
                result.formUnion(
                    entity.ownColumns.filter {
                        $0 == presence || entity.columns[$0].property.hasPrefix(path + ".")
                    })
                break
            }
        }
        return result
    }
}
