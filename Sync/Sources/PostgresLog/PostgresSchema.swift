import AshlarSync

extension PostgresDatabase {
    /// Creates the tables and functions, or brings them up to date. Hubs may run meanwhile.
    ///
    /// - Throws: ``SyncLogError``.
    public func migrate() async throws {
        try await use { connection in
            try connection.patiently { try connection.runScript(Self.schema) }
        }
    }

    /// The maximum number of object numbers for the tokens of one holder: two millionths of all, and 65,536 leases of
    /// the usual size.
    private static let greatestLeasedCount: Int64 = 1 << 40

    private static let schema = """
        BEGIN;
        SELECT pg_advisory_xact_lock(4711200226);
        CREATE TABLE IF NOT EXISTS ashlar_log (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL UNIQUE,
            head bigint NOT NULL DEFAULT 0,
            compacted bigint NOT NULL DEFAULT 0,
            next_identifier bigint NOT NULL DEFAULT \(SyncIdentifiers.firstLeased)
        );
        CREATE TABLE IF NOT EXISTS ashlar_entry (
            log bigint NOT NULL REFERENCES ashlar_log ON DELETE CASCADE,
            position bigint NOT NULL,
            site uuid NOT NULL,
            count bigint NOT NULL,
            content bytea,
            PRIMARY KEY (log, position),
            UNIQUE (log, site, count)
        );
        CREATE TABLE IF NOT EXISTS ashlar_snapshot (
            log bigint NOT NULL REFERENCES ashlar_log ON DELETE CASCADE,
            id uuid NOT NULL,
            position bigint NOT NULL,
            is_proposed boolean NOT NULL,
            is_whole boolean NOT NULL DEFAULT false,
            description bytea NOT NULL,
            PRIMARY KEY (log, id)
        );
        CREATE TABLE IF NOT EXISTS ashlar_part (
            log bigint NOT NULL,
            snapshot uuid NOT NULL,
            number integer NOT NULL,
            bytes bytea NOT NULL,
            PRIMARY KEY (log, snapshot, number),
            FOREIGN KEY (log, snapshot) REFERENCES ashlar_snapshot ON DELETE CASCADE
        );
        CREATE TABLE IF NOT EXISTS ashlar_value (
            log bigint NOT NULL REFERENCES ashlar_log ON DELETE CASCADE,
            hash text NOT NULL,
            bytes bytea NOT NULL,
            PRIMARY KEY (log, hash)
        );
        CREATE TABLE IF NOT EXISTS ashlar_token (
            hash text PRIMARY KEY,
            log text NOT NULL,
            access text NOT NULL,
            label text NOT NULL,
            expires timestamptz
        );
        -- A token has the holder of the one that it renews, or is its own.
        ALTER TABLE ashlar_token ADD COLUMN IF NOT EXISTS holder text;
        -- A site belongs to the holder that used it first. Programs that use the database itself are the holder ''.
        CREATE TABLE IF NOT EXISTS ashlar_site (
            log bigint NOT NULL REFERENCES ashlar_log ON DELETE CASCADE,
            site uuid NOT NULL,
            holder text NOT NULL,
            PRIMARY KEY (log, site)
        );
        -- The numbers that were given, by holders. Those without a holder were returned.
        CREATE TABLE IF NOT EXISTS ashlar_lease (
            log bigint NOT NULL REFERENCES ashlar_log ON DELETE CASCADE,
            first bigint NOT NULL,
            last bigint NOT NULL,
            holder text,
            PRIMARY KEY (log, first)
        );
        -- How far holders have read, as hubs note it about once a minute.
        CREATE TABLE IF NOT EXISTS ashlar_seen (
            log bigint NOT NULL REFERENCES ashlar_log ON DELETE CASCADE,
            holder text NOT NULL,
            position bigint NOT NULL,
            seen timestamptz NOT NULL,
            PRIMARY KEY (log, holder)
        );
        -- The models of logs with tables, and the version and position of the tables. Without a position, the tables are made
        -- anew. With a reason, they do not follow the log. With a new generation, all hubs begin again.
        CREATE TABLE IF NOT EXISTS ashlar_model (
            log bigint PRIMARY KEY REFERENCES ashlar_log ON DELETE CASCADE,
            model bytea NOT NULL,
            name text NOT NULL,
            schema_name text NOT NULL UNIQUE,
            generation bigint NOT NULL,
            version text,
            position bigint,
            reason text
        );
        CREATE OR REPLACE FUNCTION ashlar_bind(wanted_log bigint, wanted_site uuid, wanted_holder text)
        RETURNS text LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO ashlar_site (log, site, holder) VALUES (wanted_log, wanted_site, wanted_holder)
                ON CONFLICT (log, site) DO NOTHING;
            RETURN (SELECT holder FROM ashlar_site WHERE log = wanted_log AND site = wanted_site);
        END $$;
        CREATE OR REPLACE FUNCTION ashlar_lease(
            wanted_log bigint, wanted_count bigint, wanted_holder text, OUT first_number bigint, OUT refusal text
        ) LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM 1 FROM ashlar_log WHERE id = wanted_log FOR UPDATE;
            IF wanted_count + coalesce((SELECT sum(last - first + 1) FROM ashlar_lease
                WHERE log = wanted_log AND holder = wanted_holder), 0) > \(greatestLeasedCount) THEN
                refusal := 'the token has all the numbers that one may have';
                RETURN;
            END IF;
            SELECT first INTO first_number FROM ashlar_lease
                WHERE log = wanted_log AND holder IS NULL AND last - first + 1 >= wanted_count ORDER BY first LIMIT 1;
            IF FOUND THEN
                UPDATE ashlar_lease SET first = first + wanted_count
                    WHERE log = wanted_log AND first = first_number AND last - first + 1 > wanted_count;
                IF NOT FOUND THEN DELETE FROM ashlar_lease WHERE log = wanted_log AND first = first_number; END IF;
            ELSE
                UPDATE ashlar_log SET next_identifier = next_identifier + wanted_count
                    WHERE id = wanted_log AND next_identifier <= \(SyncIdentifiers.firstProvisional) - wanted_count
                    RETURNING next_identifier - wanted_count INTO first_number;
                IF NOT FOUND THEN
                    refusal := 'the log has no more numbers';
                    RETURN;
                END IF;
            END IF;
            INSERT INTO ashlar_lease (log, first, last, holder)
                VALUES (wanted_log, first_number, first_number + wanted_count - 1, wanted_holder);
        END $$;
        -- The identity of the content; entries of earlier versions have none.
        ALTER TABLE ashlar_entry ADD COLUMN IF NOT EXISTS id uuid;
        -- One statement for an append, so that it is one round trip: the row of the log is the lock that orders them. Hubs of earlier
        -- versions go on calling ashlar_append, where it is.
        CREATE OR REPLACE FUNCTION ashlar_append_entry(
            wanted_log bigint, wanted_head bigint, wanted_site uuid, wanted_count bigint, wanted_content bytea,
            wanted_snapshot uuid, wanted_id uuid, wanted_previous uuid,
            OUT at_position bigint, OUT at_head bigint, OUT refusal text
        ) LANGUAGE plpgsql AS $$
        DECLARE
            known_id uuid;
        BEGIN
            SELECT position, id INTO at_position, known_id FROM ashlar_entry
                WHERE log = wanted_log AND site = wanted_site AND count = wanted_count;
            IF NOT FOUND THEN
                -- No other append runs before this transaction ends.
                SELECT head INTO at_head FROM ashlar_log WHERE id = wanted_log AND head = wanted_head FOR UPDATE;
                IF NOT FOUND THEN
                    SELECT position, id INTO at_position, known_id FROM ashlar_entry
                        WHERE log = wanted_log AND site = wanted_site AND count = wanted_count;
                    SELECT head INTO at_head FROM ashlar_log WHERE id = wanted_log;
                END IF;
            END IF;
            IF at_position IS NOT NULL THEN
                IF known_id <> wanted_id THEN refusal := 'count'; END IF;
                RETURN;
            END IF;
            IF at_head IS DISTINCT FROM wanted_head THEN RETURN; END IF;
            IF EXISTS (SELECT 1 FROM ashlar_entry
                WHERE log = wanted_log AND position = wanted_head AND id <> wanted_previous) THEN
                refusal := 'previous';
                RETURN;
            END IF;
            -- An append to a log with tables updates these in the same transaction, and sets the variable.
            IF coalesce(current_setting('ashlar.tables', true), '') <> 'on'
                AND EXISTS (SELECT 1 FROM ashlar_model WHERE log = wanted_log) THEN
                refusal := 'tables';
                RETURN;
            END IF;
            UPDATE ashlar_log SET head = head + 1 WHERE id = wanted_log RETURNING head INTO at_position;
            IF wanted_snapshot IS NOT NULL THEN
                UPDATE ashlar_snapshot SET is_proposed = false
                    WHERE log = wanted_log AND id = wanted_snapshot AND is_proposed AND is_whole
                        AND position = at_position;
                IF NOT FOUND THEN RAISE EXCEPTION 'there is no such snapshot' USING ERRCODE = 'AS404'; END IF;
            END IF;
            INSERT INTO ashlar_entry (log, position, site, count, content, id)
                VALUES (wanted_log, at_position, wanted_site, wanted_count, wanted_content, wanted_id);
            PERFORM pg_notify('ashlar', format('%s %s', wanted_log, at_position));
        END $$;
        -- Appends to any logs, in one transaction. All who do so lock logs in one order.
        CREATE OR REPLACE FUNCTION ashlar_append_all(
            logs bigint[], heads bigint[], sites uuid[], counts bigint[], contents bytea[], ids uuid[], befores uuid[]
        ) RETURNS TABLE (number integer, at_position bigint, at_head bigint, refusal text) LANGUAGE plpgsql AS $$
        BEGIN
            FOR number IN SELECT o.number FROM unnest(logs) WITH ORDINALITY AS o(log, number) ORDER BY o.log, o.number LOOP
                SELECT a.at_position, a.at_head, a.refusal INTO at_position, at_head, refusal
                    FROM ashlar_append_entry(
                        logs[number], heads[number], sites[number], counts[number], contents[number], NULL,
                        ids[number], befores[number]) AS a;
                RETURN NEXT;
            END LOOP;
        END $$;
        COMMIT;
        """

    /// The number of a log, which is created if it does not exist.
    func number(ofLog name: String) async throws -> Int64 {
        try await use { connection in
            let known = try connection.run("SELECT id FROM ashlar_log WHERE name = $1", [.text(name)])
            if let found = known.first?.first, let number = found.flatMap({ Int64($0) }) { return number }
            let made = try connection.run(
                "INSERT INTO ashlar_log (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id",
                [.text(name)])
            guard let number = made.first?.first?.flatMap({ Int64($0) }) else {
                throw SyncLogError.malformed(reason: "the database gave no number of the log")
            }
            return number
        }
    }
}
