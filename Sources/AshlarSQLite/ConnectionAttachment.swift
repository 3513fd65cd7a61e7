/// What those above keep with a connection, so that it need know nothing of them.
@usableFromInline
package protocol ConnectionAttachment: AnyObject {
    /// A statement was prepared that the connection keeps from now on.
    func connection(_ connection: Connection, hasPrepared statement: Statement)
}
