//! Pages of a row group. Those that zstd has compressed are decompressed here, without a C compiler.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use ruzstd::decoding::StreamingDecoder;

/// A row group of a file.
pub(super) struct Group {
    file: Arc<File>,
    metadata: Arc<ParquetMetaData>,
    number: usize,
}

impl Group {
    pub(super) fn new(file: Arc<File>, metadata: Arc<ParquetMetaData>, number: usize) -> Group {
        Group { file, metadata, number }
    }

    fn own(&self) -> &RowGroupMetaData {
        self.metadata.row_group(self.number)
    }
}

impl RowGroups for Group {
    fn num_rows(&self) -> usize {
        usize::try_from(self.own().num_rows()).unwrap_or(0)
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let chunk = self.own().column(column);
        let zstd = matches!(chunk.compression(), Compression::ZSTD(_));
        // Pages are handed over as they are in the file, where it is not known how they are compressed.
        let plain = zstd.then(|| chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build());
        let plain = plain.transpose()?;
        let inner =
            SerializedPageReader::new(self.file.clone(), plain.as_ref().unwrap_or(chunk), self.num_rows(), None)?;
        Ok(Box::new(Chunk(Some(Pages { inner, zstd }))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.own()))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The column of one row group.
struct Chunk(Option<Pages>);

impl Iterator for Chunk {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(|pages| Ok(Box::new(pages) as Box<dyn PageReader>))
    }
}

impl PageIterator for Chunk {}

/// The pages of a column.
struct Pages {
    inner: SerializedPageReader<File>,
    zstd: bool,
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let mut page = self.inner.get_next_page()?;
        if self.zstd {
            match &mut page {
                Some(Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. }) => {
                    *buf = decompressed(buf, 0)?.into();
                }
                Some(Page::DataPageV2 {
                    buf, is_compressed: true, def_levels_byte_len, rep_levels_byte_len, ..
                }) => {
                    *buf = decompressed(buf, *def_levels_byte_len as usize + *rep_levels_byte_len as usize)?.into();
                }
                Some(Page::DataPageV2 { .. }) | None => {}
            }
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.inner.skip_next_page()
    }
}

/// The longest page, one gibibyte: writers make pages of about a mebibyte, and a damaged one may say that it is endless.
const MAX_PAGE: u64 = 1 << 30;

/// What follows the first bytes, which are not compressed.
fn decompressed(bytes: &[u8], plain: usize) -> Result<Vec<u8>> {
    let wrong = |what: String| ParquetError::General(format!("a page compressed by zstd is damaged: {what}"));
    let (levels, rest) = bytes.split_at_checked(plain).ok_or_else(|| wrong("it is too short".into()))?;
    let mut page = levels.to_vec();
    // A page without any values has nothing to be decompressed.
    if !rest.is_empty() {
        let decoder = StreamingDecoder::new(rest).map_err(|error| wrong(error.to_string()))?;
        let read = decoder.take(MAX_PAGE + 1).read_to_end(&mut page).map_err(|error| wrong(error.to_string()))?;
        if read as u64 > MAX_PAGE {
            return Err(wrong("it is longer than a gibibyte".into()));
        }
    }
    Ok(page)
}
