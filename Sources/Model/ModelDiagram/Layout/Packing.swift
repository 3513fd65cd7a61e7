/// Rectangles placed beside and below one another in a page that is a little wider than high.
struct Packing {
    private(set) var corners: [(x: Int, y: Int)] = []
    private(set) var width = 0
    private(set) var height = 0

    /// Packs rectangles with a gap between any two.
    init(_ sizes: [(width: Int, height: Int)], gap: Int) {
        guard let widest = sizes.map(\.width).max() else { return }
        let area = sizes.reduce(0) { $0 + ($1.width + gap) * ($1.height + gap) }
        var target = max(widest, 300)
        var best: (score: Int, packing: Packing)?
        // Ever wider pages, until they are twice as wide as a page of that area needs to be.
        while true {
            let packing = Packing(sizes, gap: gap, pageWidth: target)
            let (long, short) = (max(packing.width, packing.height * 3 / 2), min(packing.width, packing.height * 3 / 2))
            let score = packing.width * packing.height + (long - short) * (long - short) / 3
            if best.map({ score < $0.score }) ?? true { best = (score, packing) }
            if target > widest && target * target > 4 * 2 * area { break }
            target += max(40, target / 12)
        }
        if let best { self = best.packing }
    }

    /// Packs into a page of a given width: the highest first, each as far up as possible, then as far left.
    private init(_ sizes: [(width: Int, height: Int)], gap: Int, pageWidth: Int) {
        corners = sizes.map { _ in (0, 0) }
        // The occupied height of the page, from each place on.
        var skyline = [(x: 0, y: 0)]
        let order = sizes.indices.sorted {
            (sizes[$1].height, sizes[$1].width, $0) < (sizes[$0].height, sizes[$0].width, $1)
        }
        for index in order {
            let size = sizes[index]
            var best: (y: Int, x: Int)?
            for step in skyline where step.x == 0 || step.x + size.width <= pageWidth {
                let y = Self.top(of: skyline, from: step.x, to: step.x + size.width + gap)
                if best.map({ (y, step.x) < $0 }) ?? true { best = (y, step.x) }
            }
            let place = best ?? (0, 0)
            corners[index] = (place.x, place.y)
            width = max(width, place.x + size.width)
            height = max(height, place.y + size.height)
            Self.raise(&skyline, from: place.x, to: place.x + size.width + gap, y: place.y + size.height + gap)
        }
    }

    private static func top(of skyline: [(x: Int, y: Int)], from: Int, to: Int) -> Int {
        var top = 0
        for (index, step) in skyline.enumerated() {
            let end = index + 1 < skyline.count ? skyline[index + 1].x : Int.max
            if step.x < to && end > from { top = max(top, step.y) }
        }
        return top
    }

    private static func raise(_ skyline: inout [(x: Int, y: Int)], from: Int, to: Int, y: Int) {
        let after = skyline.last { $0.x <= to }?.y ?? 0
        skyline.removeAll { $0.x >= from && $0.x <= to }
        let place = skyline.firstIndex { $0.x > to } ?? skyline.count
        skyline.insert(contentsOf: [(from, y), (to, after)], at: place)
    }
}
