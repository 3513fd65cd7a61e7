import Ashlar
import Foundation
@main struct GraphBenchmarks { static func main() throws {
 let c = try ModelContainer(for: GazetteModel.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: "/tmp/gz.store"), options: StoreOptions(historyTracking: true)))
 withExtendedLifetime(c) {}
} }
