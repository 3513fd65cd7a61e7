import DataModel

extension StepFinder {
    /// Reports links that the migration would have to drop because the inverse does not match them, unless the model
    /// makes the migration check them.
    func findLinkConflicts(of key: PropertyName) {
        guard let relationship = match.new.property(key)?.relationship, let conflict = match.linkConflict(of: key)
        else { return }
        let inverse = match.new.inverse(of: key)
        let other = inverse.flatMap { match.new.property($0)?.relationship }
        if relationship.userInfo.asksForLosslessCheck || other?.userInfo.asksForLosslessCheck == true { return }
        let back = "\(inverse ?? key)"
        let giveUp = "To give the links up, remove the relationship in one version and add it again in the next"
        switch conflict {
        case .shared(let sources):
            var diagnostic = Diagnostic(
                .migrationNotInferrable, at: relationship.location,
                "Several objects may lead to one by '\(back)', and its inverse '\(key)' leads to one object, so links "
                    + "would have to go",
                notes: ["Let '\(key)' lead to many objects, or have the links checked", giveUp],
                fixes: [
                    .setting("toMany", to: "YES", of: relationship.location, "Let it lead to many objects"),
                    losslessCheck(of: relationship.location),
                ])
            // The migration checks a set anyway, and did so before models could request a check.
            if sources.allSatisfy({ match.old.property($0)?.relationship?.isToMany == true }) {
                diagnostic.severity = .warning
            }
            report(diagnostic)
        case .independent:
            report(
                Diagnostic(
                    .migrationNotInferrable, at: relationship.location,
                    "Relationships '\(key)' and '\(back)' had links of their own and are inverses now, so links that only "
                        + "one of them has would have to go",
                    notes: ["Have it checked that both have the same links", giveUp],
                    fixes: [losslessCheck(of: relationship.location)]))
        case .notMutual:
            report(
                Diagnostic(
                    .migrationNotInferrable, at: relationship.location,
                    "Relationship '\(key)' is its own inverse now, but the objects that it led to may not have led back",
                    notes: ["Have it checked that each object leads back", giveUp],
                    fixes: [losslessCheck(of: relationship.location)]))
        }
    }
}
