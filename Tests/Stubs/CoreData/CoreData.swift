// Apple's framework is only asked for, so that names of ours do not stand beside its.
