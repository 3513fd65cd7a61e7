@_spi(Studio) import StoreBrowsing

extension Studio {
    func mapPage(_ parameters: Parameters) throws -> Page {
        guard let entity = parameters["entity"] else { throw PageError.parameters }
        var box: RowMap.Box?
        let names = ["left", "right", "bottom", "top"]
        let given = names.compactMap { parameters[$0] }
        if !given.isEmpty {
            let numbers = given.compactMap { Double($0) }
            guard numbers.count == 4,
                let found = RowMap.Box(
                    minimumX: numbers[0], maximumX: numbers[1], minimumY: numbers[2], maximumY: numbers[3])
            else { throw PageError(status: .badRequest, text: "The sides of the map are not valid.") }
            box = found
        }
        let map = try browser.map(entity, box)
        let count = map.points.count == 1 ? "1 object" : "\(map.points.count) objects"
        let items = map.points.prefix(200).map { point in
            HTML.element("li", [], [.link(.object(entity, point.number), point.label ?? "\(entity) \(point.number)")])
        }
        return Page(
            "Map of \(entity)", of: self,
            [
                .paragraph(
                    (map.hasMore ? "A sample of \(count)" : count)
                        + " between \(Self.short(map.box.minimumX)) and \(Self.short(map.box.maximumX)) (\(map.names.x)), "
                        + "\(Self.short(map.box.minimumY)) and \(Self.short(map.box.maximumY)) (\(map.names.y))."),
                steering(entity, map.box), picture(entity, map),
                .element(
                    "details", [],
                    [.element("summary", [], "As a list"), .element("ul", [.init("class", "columns")], items)]),
            ])
    }

    private func steering(_ entity: String, _ box: RowMap.Box) -> HTML {
        let (width, height) = (box.maximumX - box.minimumX, box.maximumY - box.minimumY)
        func link(_ name: String, _ x: Double, _ y: Double, _ scale: Double) -> HTML {
            let (middleX, middleY) = (
                (box.minimumX + box.maximumX) / 2 + x * width, (box.minimumY + box.maximumY) / 2 + y * height
            )
            let sides = [
                ("left", middleX - width * scale / 2), ("right", middleX + width * scale / 2),
                ("bottom", middleY - height * scale / 2), ("top", middleY + height * scale / 2),
            ]
            return .link(Address("/map", [("entity", entity)] + sides.map { ($0.0, "\($0.1)") }), name)
        }
        return .element(
            "nav", [.init("class", "pager"), .init("aria-label", "Parts of the map")],
            [
                link("Closer", 0, 0, 0.5), link("Wider", 0, 0, 2), link("← Left", -0.5, 0, 1),
                link("Right →", 0.5, 0, 1),
                link("↑ Up", 0, 0.5, 1), link("↓ Down", 0, -0.5, 1),
                .link(Address("/map", [("entity", entity)]), "All"),
            ])
    }

    private func picture(_ entity: String, _ map: RowMap) -> HTML {
        let (width, height) = (900.0, 500.0)
        func x(_ value: Double) -> Double { (value - map.box.minimumX) / (map.box.maximumX - map.box.minimumX) * width }
        func y(_ value: Double) -> Double {
            height - (value - map.box.minimumY) / (map.box.maximumY - map.box.minimumY) * height
        }
        var parts: [HTML] = []
        for step in 1..<6 {
            let (lineX, lineY) = (width * Double(step) / 6, height * Double(step) / 6)
            let valueX = map.box.minimumX + (map.box.maximumX - map.box.minimumX) * Double(step) / 6
            let valueY = map.box.maximumY - (map.box.maximumY - map.box.minimumY) * Double(step) / 6
            parts += [
                .element(
                    "path", [.init("class", "grid"), .init("d", "M\(lineX) 0V\(height)M0 \(lineY)H\(width)")], []),
                .element("text", [.init("x", "\(lineX + 3)"), .init("y", "\(height - 5)")], Self.short(valueX)),
                .element("text", [.init("x", "3"), .init("y", "\(lineY - 3)")], Self.short(valueY)),
            ]
        }
        for point in map.points {
            let name = point.label ?? "\(entity) \(point.number)"
            parts.append(
                .element(
                    "a", [.init("href", Address.object(entity, point.number).text), .init("aria-label", name)],
                    [
                        .element(
                            "circle", [.init("cx", "\(x(point.x))"), .init("cy", "\(y(point.y))"), .init("r", "5")],
                            [.element("title", [], name)])
                    ]))
        }
        return .element(
            "svg",
            [
                .init("class", "map"), .init("viewBox", "0 0 \(width) \(height)"), .init("role", "group"),
                .init("aria-label", "Map of \(entity)"),
            ], parts)
    }

    private static func short(_ value: Double) -> String {
        abs(value) < 1e9 ? "\((value * 10000).rounded() / 10000)" : "\(value)"
    }
}
