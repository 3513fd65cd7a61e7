/// The state that another module keeps with a connection.
@usableFromInline
package protocol ConnectionAttachment: AnyObject {
    /// Called after the connection prepared a statement that it keeps.
    func connection(_ connection: Connection, hasPrepared statement: Statement)
}
