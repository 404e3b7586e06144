//! Zstd: an input that is decompressed while it is read, frame after frame.

use std::io::{self, BufRead, BufReader, Read};

use ruzstd::decoding::StreamingDecoder;

/// Decompresses an input of one or more frames, one behind the other, as `zstd` and log rotation write them.
pub(crate) struct Decoder<R: Read> {
    /// `None` only while one frame ends and the next begins.
    state: Option<StreamingDecoder<BufReader<R>, ruzstd::decoding::FrameDecoder>>,
}

impl<R: Read> Decoder<R> {
    pub(crate) fn new(input: R) -> io::Result<Decoder<R>> {
        Ok(Decoder { state: Some(begin(BufReader::new(input))?) })
    }
}

fn begin<R: Read>(input: BufReader<R>) -> io::Result<StreamingDecoder<BufReader<R>, ruzstd::decoding::FrameDecoder>> {
    StreamingDecoder::new(input).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(decoder) = &mut self.state else { return Ok(0) };
            let count = decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let mut input = self.state.take().expect("it was just read from").into_inner();
            if input.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.state = Some(begin(input)?);
        }
    }
}
