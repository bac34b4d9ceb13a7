// A library, but of something else.
extern "C" int answer() { return 42; }
