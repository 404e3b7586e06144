//! Marks: where the cells of many lines end, found for sixty-four bytes at a time.

/// Where cells begin and end in lines without quotes, in room that is used again.
#[derive(Default)]
pub(super) struct Marks {
    /// Where the first line begins, then the byte behind each mark; what follows them is of lines before.
    behind: Vec<usize>,
    count: usize,
    /// How many marks there are up to the end of each line, it included.
    lines: Vec<usize>,
}

/// Bytes that are looked at together: as many as a word has bits.
const BLOCK: usize = 64;

impl Marks {
    /// Finds the delimiters and the ends of lines of a text. Each is behind one cell, and before the next.
    pub(super) fn find(&mut self, text: &[u8], delimiter: u8) {
        // Any byte may be a mark; a block may be followed by bytes that are none.
        let most = text.len() + BLOCK + 2;
        if self.behind.len() < most {
            self.behind.resize(most, 0);
        }
        self.behind[0] = 0;
        self.count = 1;
        self.lines.clear();
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        for (i, block) in blocks.iter().enumerate() {
            self.add(BLOCK * i, marked(block, delimiter));
        }
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        self.add(text.len() - rest.len(), marked(&last, delimiter));
    }

    /// Takes note of the marks of a block that begins at a byte.
    #[inline]
    fn add(&mut self, start: usize, Marked { mut marks, mut ends }: Marked) {
        while ends != 0 {
            // All marks up to the lowest of them.
            let up_to = marks & (ends ^ (ends - 1));
            self.lines.push(self.count - 1 + up_to.count_ones() as usize);
            ends &= ends - 1;
        }
        let room = &mut self.behind[self.count..self.count + BLOCK];
        self.count += marks.count_ones() as usize;
        for behind in room {
            if marks == 0 {
                break;
            }
            *behind = start + marks.trailing_zeros() as usize + 1;
            marks &= marks - 1;
        }
    }

    /// Takes the end of a line that ends without a mark for one.
    pub(super) fn end(&mut self, length: usize) {
        self.behind[self.count] = length + 1;
        self.count += 1;
    }

    /// Where the first line begins, and the byte behind each mark.
    pub(super) fn behind(&self) -> &[usize] {
        &self.behind[..self.count]
    }

    /// The same, with how many of them there are up to the end of each line.
    pub(super) fn behind_and_lines(&mut self) -> (&mut [usize], &[usize]) {
        (&mut self.behind[..self.count], &self.lines)
    }
}

/// What the bytes of a block are, a bit for each, the first one lowest.
#[derive(Clone, Copy)]
struct Marked {
    /// Delimiters, and ends of lines.
    marks: u64,
    ends: u64,
}

/// The marks of a block.
#[inline]
fn marked(block: &[u8; BLOCK], delimiter: u8) -> Marked {
    // Compilers compare many bytes at once where nothing but comparing is done. The lowest bit says that a byte is a mark, the next
    // one that it is the end of a line.
    let mut found = [0_u8; BLOCK];
    for (found, byte) in found.iter_mut().zip(block) {
        *found = u8::from(*byte == delimiter) | (3 * u8::from(*byte == b'\n'));
    }
    let mut marked = Marked { marks: 0, ends: 0 };
    for (i, word) in found.as_chunks::<8>().0.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        marked.marks |= lowest_bits(word) << (8 * i);
        marked.ends |= lowest_bits(word >> 1) << (8 * i);
    }
    marked
}

/// The lowest bits of the eight bytes of a word, side by side.
#[inline]
fn lowest_bits(word: u64) -> u64 {
    // The product has them in its highest byte.
    (word & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_those_that_are_found_one_by_one() {
        let mut marks = Marks::default();
        let mut bits = 1_u64;
        for length in [0, 1, 7, 63, 64, 65, 128, 500, 3] {
            let text: Vec<u8> = (0..length)
                .map(|_| {
                    bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    b";\n\0\xffa-:,"[(bits >> 61) as usize]
                })
                .collect();
            marks.find(&text, b';');
            let is_mark = |at: &usize| [b';', b'\n'].contains(&text[*at]);
            let expected: Vec<usize> = [0].into_iter().chain((0..length).filter(is_mark).map(|at| at + 1)).collect();
            assert_eq!(marks.behind(), expected, "{length} bytes");
            let ends = (0..length).filter(|at| text[*at] == b'\n');
            let up_to = |end: usize| expected.iter().filter(|behind| (1..=end + 1).contains(*behind)).count();
            assert_eq!(marks.behind_and_lines().1, ends.map(up_to).collect::<Vec<_>>(), "{length} bytes");
        }
        marks.find(&[b','; 300], b',');
        marks.end(300);
        assert_eq!(marks.behind(), (0..=301).collect::<Vec<_>>());
    }
}
