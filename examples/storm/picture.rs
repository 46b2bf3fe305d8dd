//! The picture: offered load and goodput in each second, as SVG.

use std::error::Error;

use plotters::prelude::*;

use crate::{Record, Scenario};

/// A line of the picture: its label and the run.
pub type Line<'a> = (&'a str, &'a Record);

const SIZE: (u32, u32) = (900, 620);

/// One colour for each of the three lines; they differ in brightness too.
const COLOURS: [RGBColor; 3] = [RGBColor(213, 94, 0), RGBColor(0, 114, 178), RGBColor(40, 40, 40)];
const WIDTHS: [u32; 3] = [2, 4, 1];
const FAULT: RGBColor = RGBColor(235, 235, 235);

/// Draws up to three runs of the same load: above what they offer the server in each
/// second, below what is answered in time. The text is the same on every machine.
///
/// # Errors
///
/// Those of plotters.
pub fn draw(scenario: &Scenario, lines: &[Line<'_>]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let (above, below) = root.split_vertically(SIZE.1 / 2);
        let capacity = scenario.capacity;
        let title = "Attempts offered per second";
        // Between the storm and the load that causes it there is room.
        let legend = Some(SeriesLabelPosition::MiddleRight);
        panel(&above, scenario, title, Record::offered, lines, legend)?;
        let title = format!("Calls answered per second (the server can do {capacity})");
        panel(&below, scenario, &title, Record::goodput, lines, None)?;
        root.present()?;
    }
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn panel(
    area: &Area<'_>,
    scenario: &Scenario,
    title: &str,
    of: fn(&Record) -> &[u64],
    lines: &[Line<'_>],
    legend: Option<SeriesLabelPosition>,
) -> Result<(), Box<dyn Error>> {
    let highest = lines.iter().flat_map(|(_, record)| of(record)).max().copied().unwrap_or(0);
    let top = highest.max(scenario.capacity) * 11 / 10;
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(0..scenario.seconds, 0..top)?;

    let fault = Scenario::FAULT.start / Scenario::SECOND..Scenario::FAULT.end / Scenario::SECOND;
    let corners = [(fault.start, top), (fault.end, 0)];
    chart.draw_series([Rectangle::new(corners, FAULT.filled())])?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .y_labels(6)
        .label_style(("sans-serif", 16))
        .light_line_style(TRANSPARENT)
        .x_desc("seconds (grey: the server's fault)")
        .draw()?;
    for (index, (label, record)) in lines.iter().enumerate() {
        let style = COLOURS[index % 3].stroke_width(WIDTHS[index % 3]);
        let points = (0..).zip(of(record).iter().copied());
        chart
            .draw_series(LineSeries::new(points, style))?
            .label(*label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
    }
    if let Some(position) = legend {
        chart.configure_series_labels().position(position).label_font(("sans-serif", 16)).draw()?;
    }
    Ok(())
}
