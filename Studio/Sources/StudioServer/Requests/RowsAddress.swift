@_spi(Studio) import StoreBrowsing

/// The list that an address names.
struct RowsAddress {
    var request: RowRequest

    init(_ parameters: Parameters) throws {
        switch (parameters["entity"], parameters["table"]) {
        case (let entity?, nil): request = RowRequest(.entity(entity))
        case (nil, let table?): request = RowRequest(.table(table))
        default: throw PageError.parameters
        }
        request.sort = parameters["sort"].flatMap { $0.isEmpty ? nil : $0 }
        request.isDescending = parameters["descending"] == "1"
        request.filter = parameters["filter"] ?? ""
        request.search = parameters["search"] ?? ""
        if let text = parameters["columns"], !text.isEmpty {
            request.columns = try text.utf8.split(separator: UInt8(ascii: ",")).map { part in
                guard let name = Parameters.decoded(part) else { throw PageError.parameters }
                return name
            }
        }
        switch (parameters["behind"], parameters["before"]) {
        case (nil, nil): break
        case (let position?, nil): request.position = position
        case (nil, let position?):
            request.position = position
            request.isBackward = true
        default: throw PageError.parameters
        }
        if let entity = parameters["of"] {
            guard let number = parameters["id"].flatMap({ Int64($0) }), let relationship = parameters["relationship"]
            else { throw PageError.parameters }
            request.owner = RowOwner(entity: entity, number: number, relationship: relationship)
        }
    }

    init(_ request: RowRequest) { self.request = request }

    /// The parameters without the place in the list.
    var parameters: [(String, String?)] {
        let subject: (String, String?) =
            switch request.subject {
            case .entity(let name): ("entity", name)
            case .table(let name): ("table", name)
            }
        return [
            subject, ("sort", request.sort), ("descending", request.isDescending ? "1" : nil),
            ("search", request.search.isEmpty ? nil : request.search),
            ("filter", request.filter.isEmpty ? nil : request.filter),
            ("columns", request.columns.map { $0.map(Address.encoded).joined(separator: ",") }),
            ("of", request.owner?.entity), ("id", request.owner.map { "\($0.number)" }),
            ("relationship", request.owner?.relationship),
        ]
    }

    func address(_ path: String = "/rows", _ more: [(String, String?)] = []) -> Address {
        Address(path, parameters + more)
    }

    func sorted(by column: String) -> Address {
        var request = request
        request.isDescending = request.sort == column && !request.isDescending
        request.sort = column
        return RowsAddress(request).address()
    }

    /// The list with other columns, whose choice stays open.
    func showing(_ columns: [String]?) -> Address {
        var request = request
        request.columns = columns
        return RowsAddress(request).address("/rows", [("choosing", "1")])
    }
}
