#ifndef CWATCHDOG_H
#define CWATCHDOG_H

/// The minutes in a row in which a process has to do next to nothing before its watchdog ends it.
int watchdog_limit(void);

/// The minutes in a row in which a process did next to nothing, after one more minute.
///
/// @param minutes The number before that minute.
/// @param seconds The processor time of that minute, of the process and of children that ended.
int watchdog_silence(int minutes, double seconds);

/// Whether this process has a watchdog.
int watchdog_runs(void);

#endif
