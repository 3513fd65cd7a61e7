#ifndef CFAULTINJECTION_H
#define CFAULTINJECTION_H

/// What happens at the operation that was chosen.
enum fault_action { FAULT_FAIL = 0, FAULT_KILL = 1 };

/// Puts a layer under SQLite, for all connections that are opened from now on, that can make operations fail.
/// Returns an SQLite result code.
int fault_install(void);

/// Chooses an operation that changes files whose paths begin with a prefix, by its number from 1. A write that is chosen
/// is carried out by half; then the operation answers with an SQLite result code, or the process is killed.
/// If `sticky`, all operations after it fail too. There is one layer for all tests: this waits until it is disarmed.
void fault_arm(const char *prefix, int number, int code, enum fault_action action, int sticky);

/// Lets all operations through again. Returns how many there were since the layer was armed.
int fault_disarm(void);

#endif
