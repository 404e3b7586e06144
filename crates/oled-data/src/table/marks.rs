//! Marks: where the cells of many lines end, found for sixty-four bytes at a time.

/// Where cells begin and end in lines without quotes, in room that is used again.
#[derive(Default)]
pub(super) struct Marks {
    /// Where the first line begins, then the byte behind each mark; what follows them is of lines before.
    behind: Vec<usize>,
    count: usize,
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
    fn add(&mut self, start: usize, mut marked: u64) {
        let room = &mut self.behind[self.count..self.count + BLOCK];
        self.count += marked.count_ones() as usize;
        for behind in room {
            if marked == 0 {
                break;
            }
            *behind = start + marked.trailing_zeros() as usize + 1;
            marked &= marked - 1;
        }
    }

    /// Takes the end of a line that ends without a mark for one.
    pub(super) fn end(&mut self, length: usize) {
        self.behind[self.count] = length + 1;
        self.count += 1;
    }

    /// Where the first line begins, and the byte behind each mark.
    pub(super) fn behind(&mut self) -> &mut [usize] {
        &mut self.behind[..self.count]
    }
}

/// A bit for each byte of a block that is the delimiter or the end of a line, the first one lowest.
#[inline]
fn marked(block: &[u8; BLOCK], delimiter: u8) -> u64 {
    // Compilers compare many bytes at once where nothing but comparing is done.
    let mut is_mark = [0_u8; BLOCK];
    for (is_mark, byte) in is_mark.iter_mut().zip(block) {
        *is_mark = u8::from(*byte == delimiter) | u8::from(*byte == b'\n');
    }
    let words = is_mark.as_chunks::<8>().0.iter().enumerate();
    words.fold(0, |marks, (i, word)| {
        // The product has the lowest bits of all eight bytes side by side in its highest byte.
        let bits = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        marks | bits << (8 * i)
    })
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
        }
        marks.find(&[b','; 300], b',');
        marks.end(300);
        assert_eq!(marks.behind(), (0..=301).collect::<Vec<_>>());
    }
}
