// swift-format-ignore-file: AlwaysUseLowerCamelCase
// What Ashlar uses of Apple's C library and Linux has not. The rest is the same with both, and comes from Linux's.

/// `<fcntl.h>`: a descriptor for events only.
public let O_EVTONLY: Int32 = 0x8000

/// `<pthread.h>`: whether the caller is the main thread.
public func pthread_main_np() -> Int32 { 0 }
