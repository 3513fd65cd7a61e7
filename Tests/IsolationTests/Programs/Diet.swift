extension Animal {
    enum Diet: String, Codable, Sendable {
        case herbivorous = "Herbivore"
        case carnivorous = "Carnivore"
        case omnivorous = "Omnivore"
    }
}
