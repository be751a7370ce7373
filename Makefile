# sbench: `make` builds ./sbench, `make test` runs the quick tests, `make check`
# all of them, `make bench` measures against sysbench and fio, `make install`
# installs (PREFIX, DESTDIR), `make install-sysbench` also under that name.

VERSION   := 0.9.0
PREFIX    ?= /usr/local
CC        ?= cc
CFLAGS    ?= -O2 -g
BUILD     ?= build
OUT       ?= sbench
PKGCONFIG ?= pkg-config

# A library is linked as an archive where there is one, so that the program can
# be copied to a board; libblkid and libmount are part of every Debian.
archive = $(or $(wildcard $(shell $(PKGCONFIG) --variable=libdir $(1) 2>/dev/null)/lib$(2).a),-l$(2))
have    = $(shell $(PKGCONFIG) --exists $(1) && echo yes)
header  = $(shell printf '\#include <%s>\n' $(1) | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)

ifneq ($(MAKECMDGOALS),clean)
$(foreach lib,luajit jansson blkid mount,$(if $(call have,$(lib)),,$(error the library $(lib) is missing: run scripts/setup)))
endif

DEFINES := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -DSBENCH_VERSION='"$(VERSION)"'
LIBS    := $(call archive,luajit,luajit-5.1) $(call archive,jansson,jansson) -lmount -lblkid
# WITHOUT_LIBURING=1 and WITHOUT_LIBAIO=1 leave a library out that is there.
ifeq ($(if $(WITHOUT_LIBURING),,$(call have,liburing)),yes)
DEFINES += -DHAVE_LIBURING
LIBS    += $(call archive,liburing,uring)
endif
ifeq ($(if $(WITHOUT_LIBAIO),,$(call header,libaio.h)),yes)
DEFINES += -DHAVE_LIBAIO
LIBS    += $(or $(wildcard $(shell $(CC) $(CFLAGS) -print-file-name=libaio.a)),-laio)
endif

LUA_CFLAGS := $(shell $(PKGCONFIG) --cflags luajit)
# gcc notes on 32-bit systems that releases before 11 laid out atomics in another way.
WARNINGS   := -Wall -Wextra -Wno-psabi
ALL_CFLAGS  = -std=gnu11 $(WARNINGS) $(CFLAGS) -pthread -fno-strict-aliasing -Iengine -I. \
              $(LUA_CFLAGS) $(DEFINES) -DSBENCH_CFLAGS='"$(CFLAGS); measured loops: $(KERNEL_CFLAGS)"' $(SANITIZE)
# The measured loops have flags of their own: what the rest is built with must
# not change a figure.
KERNEL_CFLAGS := -O2 -fno-tree-vectorize -fno-unroll-loops -falign-functions=64
# On x86-64 clang divides in 32 bits wherever the numbers fit, which is less work.
ifneq ($(and $(findstring clang,$(shell $(CC) --version)),$(filter x86_64-%,$(shell $(CC) -dumpmachine))),)
KERNEL_CFLAGS += -Xclang -target-feature -Xclang -idivq-to-divl
endif
ALL_LDFLAGS = $(LDFLAGS) $(SANITIZE) -pthread -rdynamic
ALL_LIBS    = $(LIBS) -lm -ldl

SOURCES := $(sort $(wildcard engine/*.c engine/*/*.c engine/*/*/*.c fs/*.c))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/embedded.o
LIBRARY := $(filter-out $(BUILD)/engine/main.o,$(OBJECTS))
# WRAP=FILE.c is linked round the program, for `make faults`: each __wrap_NAME in
# it stands in for NAME.
WRAPPED := $(if $(WRAP),$(shell sed -n 's/^.*__wrap_\([a-z0-9_]*\).*/-Wl,--wrap=\1/p' $(WRAP)))
LUA     := $(sort $(wildcard lua/*.lua lua/*/*.lua fs/profiles/*.lua engine/script/abi*.h fs/abi.h scripts/guest))
UNIT    := $(sort $(wildcard tests/unit/test_*.c))
TESTS   := $(UNIT:%.c=$(BUILD)/%)

# V=1 shows the commands.
Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '  %-5s %s\n' $(1) $@)

.PHONY: FORCE all test check bench perf asan tsan faults fuzz fuzzers unit docs install install-sysbench clean
.SECONDARY:
all: $(OUT)

$(OUT): $(OBJECTS) $(WRAP:%.c=$(BUILD)/%.o)
	$(call say,LINK)
	$(Q)$(CC) $(ALL_LDFLAGS) $(WRAPPED) -o $@ $^ $(ALL_LIBS)

$(BUILD)/engine/primitive/kernel/%.o: engine/primitive/kernel/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) $(KERNEL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Objects are made anew when the flags change.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(CC) $(ALL_CFLAGS) $(KERNEL_CFLAGS))' | cmp -s - $@ || \
	  printf '%s\n' '$(subst ','\'',$(CC) $(ALL_CFLAGS) $(KERNEL_CFLAGS))' >$@
FORCE:

$(BUILD)/embedded.c: scripts/embed $(LUA)
	@mkdir -p $(@D)
	$(call say,EMBED)
	$(Q)scripts/embed $(LUA) >$@.tmp && mv $@.tmp $@
$(BUILD)/embedded.o: $(BUILD)/embedded.c
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/tests/unit/%: tests/unit/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,TEST)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -MF $(BUILD)/tests/$*.d $(ALL_LDFLAGS) -o $@ $< $(LIBRARY) -lcmocka $(ALL_LIBS)

# The plain loops of scripts/bench: flags and clock are the program's own.
$(BUILD)/tests/perf/%: tests/perf/%.c $(BUILD)/engine/base/clock.o
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(KERNEL_CFLAGS) -MMD -MP -MF $(BUILD)/tests/$*.d $(ALL_LDFLAGS) -o $@ $< $(BUILD)/engine/base/clock.o

unit: $(TESTS)
perf: $(patsubst %.c,$(BUILD)/%,$(wildcard tests/perf/*.c))

test: $(OUT) unit
	tests/run quick
check: $(OUT) unit
	tests/run all
bench: $(OUT)
	scripts/bench

# What is made from the option rows: docs/options.md and the man page.
docs: $(OUT)
	scripts/make-docs docs

asan:
	$(MAKE) BUILD=build/asan OUT=build/asan/sbench CFLAGS='-O1 -g -fno-omit-frame-pointer' \
	  SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined' build/asan/sbench unit
tsan:
	$(MAKE) BUILD=build/tsan OUT=build/tsan/sbench CFLAGS='-O1 -g -fno-omit-frame-pointer' \
	  SANITIZE='-fsanitize=thread' build/tsan/sbench unit

# The n-th allocation, thread, reading of the clock, read or write fails.
faults:
	$(MAKE) BUILD=build/faults OUT=build/faults/sbench CFLAGS='-O1 -g -fno-omit-frame-pointer' \
	  SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined' \
	  WRAP=tests/faults/wrap.c build/faults/sbench
# Each target reads arbitrary input for FUZZ_SECONDS, beginning with the corpus in
# tests/fuzz/corpus; what it finds on the way stays in build/fuzz.
FUZZERS := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(wildcard tests/fuzz/*.c))
fuzz: fuzzers
	tests/fuzz/run
fuzzers:
	$(MAKE) BUILD=build/fuzz CC=clang CFLAGS='-O1 -g -fno-omit-frame-pointer' \
	  SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined' \
	  $(FUZZERS)
build/fuzz/%: tests/fuzz/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $< $(LIBRARY) $(ALL_LIBS)

install: $(OUT)
	install -D -m 755 $(OUT) $(DESTDIR)$(PREFIX)/bin/sbench
	$(if $(wildcard docs/sbench.1),install -D -m 644 docs/sbench.1 $(DESTDIR)$(PREFIX)/share/man/man1/sbench.1)
install-sysbench: install
	ln -sf sbench $(DESTDIR)$(PREFIX)/bin/sysbench

clean:
	rm -rf build sbench

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
