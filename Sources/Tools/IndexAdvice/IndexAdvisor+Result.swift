import RelationalSchema

extension IndexAdvisor {
    /// Records the indexes to add, and the plans of each query without them and with them.
    func fill(
        _ advice: inout IndexAdvice, _ cases: [Case], _ before: FollowedAdvice, _ followed: FollowedAdvice
    ) {
        advice.additions = followed.additions
        for (number, one) in cases.enumerated() {
            let plan = before.plans[number].plans[0]
            var finding = IndexAdvice.Finding(query: one.query, before: plan)
            if followed.plans[number].weight < before.plans[number].weight {
                finding.after = followed.plans[number].plans[0]
            } else if plan.weight > 0 {
                finding.reason = reason(one.query, plan, one.scans, canImprove: one.canImprove)
            }
            advice.findings.append(finding)
        }
    }
}
