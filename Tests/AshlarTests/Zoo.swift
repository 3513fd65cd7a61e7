import Foundation

@testable import Ashlar

extension Animal {
    /// The sample's enumeration of diets.
    enum Diet: String, Codable, CaseIterable {
        case herbivorous = "Herbivore"
        case carnivorous = "Carnivore"
        case omnivorous = "Omnivore"
    }
}
