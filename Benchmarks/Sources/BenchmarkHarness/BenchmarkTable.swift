/// The table of workloads that a program of benchmarks runs.
package struct BenchmarkTable<Prepared> {
    /// The name of the program, for its usage.
    package var program: String
    package var workloads: [any Workload<Prepared>.Type]
    /// The contestants that have a column, in the order of the columns.
    package var contestants: [Contestant]
    /// The contestant that Ashlar is compared with in the last column.
    package var reference: Contestant
    /// The program's options, in addition to the common ones.
    package var switches: [String]
    /// Makes the stores, or other data, that the workloads use.
    package var prepare: (Options) throws -> Prepared

    package init(
        program: String, workloads: [any Workload<Prepared>.Type], contestants: [Contestant], reference: Contestant,
        switches: [String], prepare: @escaping (Options) throws -> Prepared
    ) {
        (self.program, self.workloads, self.contestants) = (program, workloads, contestants)
        (self.reference, self.switches, self.prepare) = (reference, switches, prepare)
    }

    /// The form of the command line.
    package var form: OptionForm {
        OptionForm(
            program: program, workloads: workloads.map { $0.name }, contestants: contestants, switches: switches)
    }

    /// Runs the chosen workloads one after the other and prints a line for each.
    package func run(_ options: Options) throws {
        if options.showsGrowth { return try runGrowth(options) }
        let runner = Runner(options: options, prepared: try prepare(options))
        let table = Table(contestants: contestants, reference: reference)
        print(table.heading(options))
        var report = Report(options)
        for workload in selected(options) {
            let result = try runner.run(workload)
            print(table.lines(result))
            flush()
            report.workloads.append(result)
        }
        try report.write(to: options.jsonFile)
        try report.plot(to: options.plotFile)
    }

    /// Runs each chosen workload with a number of rows and with four times as many.
    private func runGrowth(_ options: Options) throws {
        var larger = options
        larger.rows *= 4
        let runners = [
            Runner(options: options, prepared: try prepare(options)),
            Runner(options: larger, prepared: try prepare(larger)),
        ]
        let table = Table(contestants: contestants, reference: reference)
        print(table.growthHeading(options, larger))
        for workload in selected(options) {
            let results = try runners.map { try $0.run(workload) }
            print(table.growthLine(results[0], results[1]))
            flush()
        }
    }

    private func selected(_ options: Options) -> [any Workload<Prepared>.Type] {
        workloads.filter { options.selects($0.name) && !(options.isInMemory && $0.needsFile) }
    }
}
