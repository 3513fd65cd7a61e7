import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections that keep a hub waiting for a request or its rest, or that continue to send after the answer.
///
/// It is in the channel from the first byte on, so that the first time limit includes the handshake of TLS.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The number of bytes of a request that are read after its answer.
    private static let greatestExcess = 1 << 20

    private let firstRequest: TimeAmount
    private let idle: TimeAmount
    private var timer: Scheduled<Void>?
    /// The number of requests that began and have no answer yet.
    private var openCount = 0
    /// Whether a request has begun and not ended.
    private var isReading = false
    /// The number of bytes that came after the answer to their request; nil if the request has no answer yet.
    private var excess: Int?

    init(_ limits: HubLimits) {
        firstRequest = TimeAmount(limits.firstRequestTimeout)
        idle = TimeAmount(limits.idleTimeout)
    }

    func handlerAdded(context: ChannelHandlerContext) { restart(context, firstRequest) }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            (isReading, openCount) = (true, openCount + 1)
            restart(context, idle)
        case .body(let bytes):
            if let before = excess {
                excess = before + bytes.readableBytes
                if before + bytes.readableBytes > Self.greatestExcess { return context.close(promise: nil) }
            } else {
                restart(context, idle)
            }
        case .end:
            (isReading, excess) = (false, nil)
            // The hub may take any time to answer.
            if openCount > 0 { timer?.cancel() } else { restart(context, idle) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            // Input that is not a request has an answer, too.
            openCount = max(0, openCount - 1)
            if openCount == 0 {
                if isReading { excess = 0 }
                restart(context, isReading ? firstRequest : idle)
            }
        }
        context.write(data, promise: promise)
    }

    private func restart(_ context: ChannelHandlerContext, _ time: TimeAmount) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
