extension Diagram {
    /// The part of the diagram that shows one box and the boxes that are connected with it.
    public func neighbors(of name: String) -> Diagram {
        guard let center = boxes.firstIndex(where: { $0.name == name }) else { return self }
        var kept: Set<Int> = [center]
        for connection in connections {
            if connection.source.box == center { kept.insert(connection.destination.box) }
            if connection.destination.box == center { kept.insert(connection.source.box) }
        }
        let order = boxes.indices.filter(kept.contains)
        let numbers = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        var result = self
        result.boxes = order.map { boxes[$0] }
        result.connections = connections.compactMap { connection in
            guard let source = numbers[connection.source.box], let destination = numbers[connection.destination.box]
            else { return nil }
            var connection = connection
            (connection.source.box, connection.destination.box) = (source, destination)
            return connection
        }
        return result
    }
}
