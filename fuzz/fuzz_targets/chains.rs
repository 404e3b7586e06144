#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| oled_fuzz::chains(bytes));
